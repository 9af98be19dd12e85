"""The pipeline that LitServe and FastAPI serve: YuNet detects, dlib aligns and embeds the largest face of two images.

YuNet gets images of at most 640 pixels, as in DeepFace; dlib's five landmarks make the face chip from the whole
image. OpenCV chooses its number of threads, which makes a single request faster and costs nothing otherwise.
"""

import base64
import os

import cv2
import dlib
import numpy

SIDE_MAX = 640
# as in DeepFace
SCORE_MIN = 0.9
# from dlib's documentation, for Euclidean distances
THRESHOLD = 0.6


class NoFace(Exception):
    pass


class Pipeline:
    def __init__(self, weights: str) -> None:
        file = lambda name: os.path.join(weights, name)
        self.detector = cv2.FaceDetectorYN_create(file("face_detection_yunet_2023mar.onnx"), "", (0, 0), SCORE_MIN)
        self.points = dlib.shape_predictor(file("shape_predictor_5_face_landmarks.dat"))
        self.network = dlib.face_recognition_model_v1(file("dlib_face_recognition_resnet_model_v1.dat"))

    def verify(self, body: dict) -> dict:
        first, second = (self.embed(decode(body[name]), name) for name in ("img1", "img2"))
        distance = float(numpy.linalg.norm(first - second))
        return {
            "verified": distance <= THRESHOLD,
            "distance": distance,
            "threshold": THRESHOLD,
            "model": "Dlib",
            "detector_backend": "yunet",
            "similarity_metric": "euclidean",
        }

    def embed(self, image: numpy.ndarray, name: str) -> numpy.ndarray:
        rgb = cv2.cvtColor(image, cv2.COLOR_BGR2RGB)
        chip = dlib.get_face_chip(rgb, self.points(rgb, self.largest_face(image, name)), size=150, padding=0.25)
        return numpy.array(self.network.compute_face_descriptor(chip))

    def largest_face(self, image: numpy.ndarray, name: str) -> dlib.rectangle:
        height, width = image.shape[:2]
        scale = min(1.0, SIDE_MAX / max(height, width))
        small = image if scale == 1 else cv2.resize(image, (int(width * scale), int(height * scale)))
        self.detector.setInputSize((small.shape[1], small.shape[0]))
        _, faces = self.detector.detect(small)
        if faces is None:
            raise NoFace(f"no face was found in {name}")
        x, y, w, h = max(faces, key=lambda face: face[2] * face[3])[:4] / scale
        return dlib.rectangle(int(x), int(y), int(x + w), int(y + h))


def decode(image: str) -> numpy.ndarray:
    data = base64.b64decode(image.partition(",")[2] if image.startswith("data:") else image)
    image = cv2.imdecode(numpy.frombuffer(data, numpy.uint8), cv2.IMREAD_COLOR)
    if image is None:
        raise NoFace("an image could not be decoded")
    return image
