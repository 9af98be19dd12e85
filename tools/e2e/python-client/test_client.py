"""Tests of the installed Python client. python-client.e2e.test.ts runs them beside a running service."""

import asyncio
import base64
import io
import json
import os
import pickle
import threading
import unittest
import warnings
from array import array
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

from faceline import (
    AsyncFaceline,
    Faceline,
    FacelineError,
    FacelineWarning,
    InvalidRequest,
    NoFaceDetected,
    RateLimited,
    Unauthorized,
    Unavailable,
)

URL = os.environ["FACELINE_URL"]
KEY = os.environ["FACELINE_KEY"]
LIMITED_KEY = os.environ["LIMITED_KEY"]
PLAIN = Path("plain.png")
FIRST = Path("first.jpg")
SECOND = Path("second.jpg")
VECTORS = {"img1": [0.1] * 128, "img2": array("d", [0.1] * 128), "model_name": "SFace"}


class AgainstTheService(unittest.TestCase):
    def setUp(self):
        self.faceline = Faceline(f"{URL}/", api_key=f"{KEY}\n")
        self.addCleanup(self.faceline.close)

    def test_an_image_is_a_path_bytes_a_file_or_text(self):
        content = FIRST.read_bytes()
        first = self.faceline.verify(img1=FIRST, img2=SECOND, distance_metric="cosine", threshold=None)
        self.assertTrue(first.verified)
        self.assertEqual(first.similarity_metric, "cosine")
        self.assertGreater(first.facial_areas.img1.w, 0)
        with FIRST.open("rb") as file:
            for image in (content, bytearray(content), io.BytesIO(content), file):
                self.assertEqual(self.faceline.verify(img1=image, img2=SECOND).distance, first.distance)
        url = "data:image/jpeg;base64," + base64.b64encode(content).decode()
        self.assertEqual(self.faceline.verify(img1=url, img2=SECOND).distance, first.distance)

    def test_stored_embeddings_are_compared_with_an_image(self):
        faces = [
            self.faceline.represent(img=FIRST, max_faces=1, embedding_format=format).results[0]
            for format in ("float", "base64")
        ]
        response = self.faceline.compare(
            img=SECOND,
            candidates=[
                faces[0].embedding,
                array("d", faces[0].embedding),
                {"id": "Dia", "vector": faces[1].embedding},
                {"id": 7, "img": FIRST},
                PLAIN,
            ],
            model_version=faces[0].model_version,
        )
        *compared, failed = response.results
        self.assertEqual([each.id for each in response.results], ["0", "1", "Dia", "7", "4"])
        self.assertTrue(all(each.match for each in compared))
        self.assertEqual(len({round(each.distance, 4) for each in compared}), 1)
        self.assertEqual(failed.error, "no_face_detected")
        self.assertEqual(response.to_dict()["best_match"]["id"], response.best_match.id)

    def test_several_references_are_one_person(self):
        face = self.faceline.represent(img=FIRST, model_name=["SFace"], max_faces=1).results[0]
        both = [FIRST, face.embedding]
        response = self.faceline.verify(img1=both, img2=SECOND, model_version=face.model_version)
        self.assertTrue(response.verified)
        self.assertEqual([each.facial_area is None for each in response.references], [False, True])
        candidates = [{"person": "Dia", "vector": face.embedding}, {"person": "Dia", "img": FIRST}]
        compared = self.faceline.compare(
            img=SECOND, candidates=candidates, model_version=face.model_version
        )
        self.assertEqual((compared.best_match.person, compared.best_match.references), ("Dia", 2))

    def test_a_threshold_that_matches_strangers_warns_once_at_each_line_that_sends_it(self):
        vector = [1.0] + [0.0] * 127
        with warnings.catch_warnings(record=True) as caught:
            warnings.filterwarnings("ignore", category=ResourceWarning)
            for _ in range(3):
                verdict = self.faceline.verify(img1=vector, img2=vector, threshold=0.9, model_name="SFace")
            compared = self.faceline.compare(
                vector=vector, candidates=[vector], threshold=0.9, model_name="SFace"
            )
            self.faceline.verify(img1=vector, img2=vector, model_name="SFace")
        self.assertEqual([each.category for each in caught], [FacelineWarning] * 2)
        self.assertEqual({each.filename for each in caught}, {__file__})
        self.assertEqual(str(caught[0].message), verdict.warnings[0].detail)
        self.assertEqual(compared.warnings[0].code, "threshold_too_high")
        self.assertGreater(verdict.threshold_false_match_rate, 0.1)
        with self.assertRaises(InvalidRequest) as raised:
            self.faceline.verify(img1=vector, img2=vector, threshold=1.1, model_name="SFace")
        self.assertEqual(raised.exception.field, "threshold")

    def test_capabilities_and_health_are_typed(self):
        capabilities = self.faceline.capabilities()
        self.assertIn(capabilities.default_model, capabilities.models)
        self.assertEqual(self.faceline.health().status, "ok")

    def test_an_error_has_class_code_and_what_is_at_fault(self):
        with self.assertRaises(NoFaceDetected) as raised:
            self.faceline.verify(img1=FIRST, img2=PLAIN, request_id="mine")
        error = raised.exception
        self.assertIsInstance(error, InvalidRequest)
        self.assertEqual(
            (error.code, error.status, error.field, error.index, error.request_id),
            ("no_face_detected", 400, "img2", 1, "mine"),
        )
        self.assertEqual(str(error), error.detail)
        self.assertEqual(vars(pickle.loads(pickle.dumps(error))), vars(error))
        with self.assertRaises(Unauthorized) as raised:
            Faceline(URL, api_key="guessed").verify(**VECTORS)
        self.assertEqual(raised.exception.code, "invalid_api_key")
        with self.assertRaisesRegex(Unauthorized, "pass api_key to the client"):
            Faceline(URL).verify(**VECTORS)

    def test_a_path_as_text_is_refused_with_the_way_to_send_a_file(self):
        with self.assertRaises(ValueError) as raised:
            self.faceline.verify("first.jpg", SECOND)
        self.assertEqual(raised.exception.code, "unsupported_image_source")
        self.assertRegex(str(raised.exception), r'^img1 is a str, .* pass Path\("photo.jpg"\) or bytes')
        with self.assertRaisesRegex(InvalidRequest, "^candidate 0 is a str"):
            self.faceline.compare(FIRST, candidates=["second.jpg"])

    def test_tasks_share_an_async_client(self):
        async def requests():
            async with AsyncFaceline(URL, KEY) as faceline:
                face = (await faceline.represent(FIRST, max_faces=1)).results[0]
                options = {"candidates": [face.embedding], "model_version": face.model_version}
                return await asyncio.gather(*(faceline.compare(SECOND, **options) for _ in range(8)))

        responses = asyncio.run(requests())
        self.assertEqual([each.best_match.match for each in responses], [True] * 8)
        self.assertEqual(len({each.request_id for each in responses}), 8)

    def test_a_request_over_the_rate_limit_is_retried(self):
        with self.assertRaises(RateLimited) as raised:
            impatient = Faceline(URL, api_key=LIMITED_KEY, max_attempts=1)
            for _ in range(10):
                impatient.verify(**VECTORS)
        error = raised.exception
        self.assertEqual((error.code, error.status), ("rate_limited", 429))
        self.assertGreaterEqual(error.retry_after, 1)
        self.assertEqual(Faceline(URL, api_key=LIMITED_KEY).verify(**VECTORS).distance, 0)

    def test_threads_share_a_client(self):
        with ThreadPoolExecutor(16) as pool:
            responses = list(pool.map(lambda _: self.faceline.verify(**VECTORS), range(200)))
        self.assertEqual(len({each.request_id for each in responses}), 200)

    def test_wrong_arguments_are_refused_before_a_request(self):
        for name, meant in (("treshold", "threshold"), ("model", "model_name"), ("metric", "distance_metric")):
            with self.assertRaisesRegex(TypeError, f"^{name} is not an option of verify.*: write {meant}\\.$"):
                self.faceline.verify(FIRST, SECOND, **{name: 0.3})
        with self.assertRaisesRegex(TypeError, r"silent is not .*\. Options: align, all_faces, "):
            self.faceline.verify(FIRST, SECOND, silent=True)
        with self.assertRaisesRegex(TypeError, "mode 'rb'"), FIRST.open(encoding="latin-1") as text:
            self.faceline.represent(img=text)
        with self.assertRaisesRegex(TypeError, "^object cannot be sent: an image is a Path"):
            self.faceline.represent(img=object())
        with self.assertRaisesRegex(ValueError, "http://"):
            Faceline("127.0.0.1:8080")
        with self.assertRaises(ValueError) as raised:
            Faceline(URL, api_key="fl_secret\nfl_secret")
        self.assertNotIn("secret", str(raised.exception))
        with self.assertRaises(ValueError):
            self.faceline.verify(img1=[float("nan")], img2=FIRST)


class BehindAProxy(unittest.TestCase):
    def test_a_broken_connection_is_retried(self):
        with Proxy(["drop", "cut", "forward"]) as proxy:
            self.assertEqual(Faceline(proxy.url, KEY).verify(**VECTORS).distance, 0)
        self.assertEqual(len(proxy.requests), 3)
        with Proxy(["drop", "drop"]) as proxy, self.assertRaises(Unavailable) as raised:
            Faceline(proxy.url, KEY, max_attempts=2).verify(**VECTORS)
        self.assertEqual((raised.exception.code, raised.exception.status), ("unreachable", 0))
        self.assertEqual(len(proxy.requests), 2)
        self.assertRegex(raised.exception.detail, r"at 127\.0\.0\.1:\d+: server disconnected")

    def test_a_service_that_is_down_is_named_with_the_cause(self):
        with Proxy([]) as proxy:
            address = urlsplit(proxy.url)
        for host in ("127.0.0.1", "localhost"):
            url = f"http://{host}:{address.port}"
            expected = f"The service could not be reached at {host}:{address.port}: connection refused."
            with self.assertRaises(Unavailable) as raised:
                Faceline(url, KEY, max_attempts=1).verify(**VECTORS)
            self.assertEqual(str(raised.exception), expected)
            with self.assertRaises(Unavailable) as raised:
                asyncio.run(AsyncFaceline(url, KEY, max_attempts=1).verify(**VECTORS))
            self.assertEqual(str(raised.exception), expected)

    def test_an_async_request_is_retried_and_ends_in_time(self):
        async def verify(proxy, **options):
            async with AsyncFaceline(proxy.url, KEY, **options) as faceline:
                return await faceline.verify(**VECTORS)

        with Proxy(["drop", "forward"]) as proxy:
            self.assertEqual(asyncio.run(verify(proxy)).distance, 0)
        with Proxy(["drip"]) as proxy, self.assertRaises(Unavailable) as raised:
            asyncio.run(verify(proxy, timeout=0.2))
        self.assertEqual(raised.exception.code, "timeout")

    def test_a_file_is_sent_again_with_the_retry(self):
        with Proxy(["drop", "forward"]) as proxy, FIRST.open("rb") as file:
            self.assertEqual(len(Faceline(proxy.url, KEY).represent(img=file, max_faces=1).results), 1)

    def test_a_request_ends_in_time(self):
        with Proxy(["silence", "drip"]) as proxy:
            for _ in range(2):
                with self.assertRaises(Unavailable) as raised:
                    Faceline(proxy.url, KEY, timeout=0.2).verify(**VECTORS)
                self.assertEqual(raised.exception.code, "timeout")
        self.assertEqual(len(proxy.requests), 2)

    def test_health_is_not_retried_and_degraded_is_a_response(self):
        with Proxy(["degrade", "drop"]) as proxy:
            faceline = Faceline(proxy.url, KEY)
            self.assertEqual(faceline.health().status, "degraded")
            with self.assertRaises(Unavailable):
                faceline.health()
        self.assertEqual([headers.get("x-api-key") for headers in proxy.requests], [None, None])

    def test_the_page_of_a_proxy_is_no_response_and_a_redirect_leaks_no_key(self):
        with (
            Proxy([]) as other,
            Proxy([(200, {}, b"<html>"), (200, {}, b"{}"), (307, {"location": other.url}, b"")]) as proxy,
        ):
            for status in (200, 200, 307):
                with self.assertRaises(FacelineError) as raised:
                    Faceline(proxy.url, KEY).verify(**VECTORS)
                self.assertEqual(
                    (raised.exception.code, raised.exception.status), ("unexpected_response", status)
                )
        self.assertEqual(other.requests, [])

    def test_connections_are_reused_but_not_by_a_forked_process(self):
        with Proxy(["forward"] * 5) as proxy:
            faceline = Faceline(proxy.url, KEY)
            for _ in range(4):
                faceline.verify(**VECTORS)
            child = os.fork()
            if child == 0:
                try:
                    faceline.verify(**VECTORS)
                finally:
                    os._exit(0)
            os.waitpid(child, 0)
        peers = [headers["peer"] for headers in proxy.requests]
        self.assertEqual([len(set(peers[:4])), len(set(peers))], [1, 2])

    def test_a_value_of_a_later_service_is_no_error(self):
        with Proxy(["forward with a new metric"]) as proxy:
            response = Faceline(proxy.url, KEY).verify(**VECTORS)
        self.assertEqual(response.similarity_metric, "manhattan")
        self.assertEqual(response["new_field"], 1)


class Proxy:
    """Stands before the service and does one step of a script for each request."""

    def __init__(self, script):
        self.requests = []
        self.ended = threading.Event()
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do(self):
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                step = script[len(proxy.requests)]
                proxy.requests.append({**self.headers, "peer": self.client_address})
                if step == "drop":
                    self.close_connection = True
                elif step == "silence":
                    proxy.ended.wait()
                elif step == "degrade":
                    status, headers, content = forward(self, body)
                    self.respond(503, headers, content.replace(b'"ok"', b'"degraded"', 1))
                elif step == "cut":
                    self.send_response(200)
                    self.send_header("content-length", "100")
                    self.end_headers()
                    self.wfile.write(b'{"verified":')
                    self.close_connection = True
                elif step == "drip":
                    self.send_response(200)
                    self.send_header("content-length", "1000000")
                    self.end_headers()
                    while not proxy.ended.wait(0.01):
                        self.wfile.write(b" ")
                elif step == "forward":
                    self.respond(*forward(self, body))
                elif step == "forward with a new metric":
                    status, headers, content = forward(self, body)
                    changed = {**json.loads(content), "similarity_metric": "manhattan", "new_field": 1}
                    self.respond(status, headers, json.dumps(changed).encode())
                else:
                    self.respond(*step)

            do_GET = do_POST = do

            def respond(self, status, headers, content):
                self.send_response(status)
                for name, value in {**headers, "content-length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.server.shutdown()
        self.server.server_close()


def forward(request, body):
    connection = HTTPConnection(urlsplit(URL).netloc)
    kept = {name: value for name, value in request.headers.items() if name.lower() != "host"}
    connection.request(request.command, request.path, body, kept)
    response = connection.getresponse()
    kept = ("x-request-id", "retry-after", "content-type")
    headers = {name: response.headers[name] for name in kept if name in response.headers}
    content = response.read()
    connection.close()
    return response.status, headers, content


if __name__ == "__main__":
    unittest.main()
