"""LitServe with one worker and its defaults: `batch_timeout` is 0, so a batch is what waits when the worker is free.

usage: litserve_server.py PORT
"""

import sys

import engine
import litserve


class Represent(litserve.LitAPI):
    def setup(self, device: str) -> None:
        pass

    def decode_request(self, request: dict) -> str:
        return request["img"]

    def batch(self, inputs: list[str]) -> list[str]:
        return inputs

    def predict(self, images: list[str]) -> list[dict]:
        return engine.run(images)

    def unbatch(self, output: list[dict]) -> list[dict]:
        return output

    def encode_response(self, output: dict) -> dict:
        return output


if __name__ == "__main__":
    api = Represent(max_batch_size=engine.BATCH_MAX, api_path="/represent")
    server = litserve.LitServer(api, accelerator="cpu", workers_per_device=1)
    server.run(
        host="127.0.0.1",
        port=int(sys.argv[1]),
        num_api_servers=1,
        generate_client_file=False,
        access_log=False,
        log_level="warning",
    )
