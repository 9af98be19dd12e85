"""LitServe in front of a worker for each core, each with the whole pipeline.

usage: litserve_server.py PORT WORKERS YUNET SFACE
"""

import sys

import litserve
from fastapi import HTTPException

from pipeline import NoFace, Pipeline


class Verify(litserve.LitAPI):
    def setup(self, device: str) -> None:
        self.pipeline = Pipeline(*sys.argv[3:])

    def decode_request(self, request: dict) -> dict:
        return request

    def predict(self, body: dict) -> dict:
        try:
            return self.pipeline.verify(body)
        except NoFace as fault:
            raise HTTPException(400, str(fault)) from fault

    def encode_response(self, output: dict) -> dict:
        return output


if __name__ == "__main__":
    api = Verify(api_path="/verify")
    server = litserve.LitServer(api, accelerator="cpu", workers_per_device=int(sys.argv[2]))
    server.run(
        host="127.0.0.1",
        port=int(sys.argv[1]),
        num_api_servers=1,
        generate_client_file=False,
        access_log=False,
        log_level="warning",
    )
