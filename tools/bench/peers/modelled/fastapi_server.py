"""FastAPI and a batcher of twenty lines: one worker that takes all waiting images when it is free.

usage: fastapi_server.py PORT [WINDOW_MS]

With a window, it waits that long after the first image of a batch, or until the batch is full.
"""

import asyncio
import sys
from contextlib import asynccontextmanager

import engine
import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel

PORT = int(sys.argv[1])
WINDOW_S = float(sys.argv[2]) / 1000 if len(sys.argv) > 2 else 0.0

waiting: asyncio.Queue[tuple[str, asyncio.Future[dict]]] = asyncio.Queue()


async def next_batch() -> list[tuple[str, asyncio.Future[dict]]]:
    batch = [await waiting.get()]
    closes_at = asyncio.get_running_loop().time() + WINDOW_S
    while len(batch) < engine.BATCH_MAX:
        if not waiting.empty():
            batch.append(waiting.get_nowait())
            continue
        left = closes_at - asyncio.get_running_loop().time()
        if left <= 0:
            break
        try:
            batch.append(await asyncio.wait_for(waiting.get(), left))
        except TimeoutError:
            break
    return batch


async def work() -> None:
    while True:
        batch = await next_batch()
        results = await asyncio.to_thread(engine.run, [image for image, _ in batch])
        for (_, answer), result in zip(batch, results):
            if not answer.done():
                answer.set_result(result)


@asynccontextmanager
async def lifespan(_: FastAPI):
    worker = asyncio.create_task(work())
    yield
    worker.cancel()


app = FastAPI(lifespan=lifespan)


class Call(BaseModel):
    img: str


@app.post("/represent")
async def represent(call: Call) -> dict:
    answer: asyncio.Future[dict] = asyncio.get_running_loop().create_future()
    waiting.put_nowait((call.img, answer))
    return await answer


@app.get("/health")
async def health() -> dict[str, str]:
    return {"status": "ok"}


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=PORT, workers=1, access_log=False, log_level="warning")
