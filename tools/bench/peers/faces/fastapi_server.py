"""FastAPI in front of a pool of processes, each with the whole pipeline: a free one takes the next call.

(`uvicorn --workers 2` shares connections, not calls: a client that keeps its connections may get one worker only.)

usage: fastapi_server.py PORT WORKERS YUNET SFACE
"""

import asyncio
import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor
from contextlib import asynccontextmanager

from pipeline import NoFace, Pipeline

PORT, WORKERS, FILES = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]

pipeline: Pipeline | None = None


def load() -> None:
    global pipeline
    pipeline = Pipeline(*FILES)


def verify(body: dict) -> dict:
    return pipeline.verify(body)


if __name__ == "__main__":
    import uvicorn
    from fastapi import FastAPI, HTTPException
    from pydantic import BaseModel

    class Call(BaseModel):
        img1: str
        img2: str

    @asynccontextmanager
    async def lifespan(app: FastAPI):
        spawn = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(WORKERS, mp_context=spawn, initializer=load) as pool:
            app.state.pool = pool
            yield

    app = FastAPI(lifespan=lifespan)

    @app.post("/verify")
    async def answer(call: Call) -> dict:
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(app.state.pool, verify, call.model_dump())
        except NoFace as fault:
            raise HTTPException(400, str(fault)) from fault

    @app.get("/health")
    async def health() -> dict[str, str]:
        return {"status": "ok"}

    uvicorn.run(app, host="127.0.0.1", port=PORT, workers=1, access_log=False, log_level="warning")
