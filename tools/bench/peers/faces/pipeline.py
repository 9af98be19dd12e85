"""The pipeline that LitServe and FastAPI serve: YuNet detects, SFace embeds the largest face of two images.

YuNet gets images of at most 640 pixels, as in DeepFace; its five landmarks make the face chip from the whole image.
SFace is Faceline's file in float, of which onnxruntime runs both faces at once. It has one thread: there is a process
for each core. OpenCV chooses its number, which makes a single request faster and costs nothing otherwise.
"""

import base64

import cv2
import numpy
import onnxruntime

SIDE_MAX = 640
# as in DeepFace
SCORE_MIN = 0.9
# DeepFace's for SFace and cosine distances, which is Faceline's too
THRESHOLD = 0.593
# ArcFace's: eyes, nose and corners of the mouth in a chip of 112 pixels, as x + iy
TEMPLATE = numpy.array(
    [38.2946 + 51.6963j, 73.5318 + 51.5014j, 56.0252 + 71.7366j, 41.5493 + 92.3655j, 70.7299 + 92.2041j]
)


class NoFace(Exception):
    pass


class Pipeline:
    def __init__(self, yunet: str, sface: str) -> None:
        self.detector = cv2.FaceDetectorYN_create(yunet, "", (0, 0), SCORE_MIN)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.network = onnxruntime.InferenceSession(sface, options, providers=["CPUExecutionProvider"])

    def verify(self, body: dict) -> dict:
        chips = numpy.stack([self.chip(decode(body[name]), name) for name in ("img1", "img2")])
        # of length 1
        first, second = self.network.run(["embedding"], {"image": chips})[0]
        distance = 1 - float(first @ second)
        return {
            "verified": distance <= THRESHOLD,
            "distance": distance,
            "threshold": THRESHOLD,
            "model": "SFace",
            "detector_backend": "yunet",
            "similarity_metric": "cosine",
        }

    def chip(self, image: numpy.ndarray, name: str) -> numpy.ndarray:
        """The least-squares similarity from the landmarks to the template."""
        points = self.landmarks(image, name)
        centred = points - points.mean()
        turn = (centred.conj() @ TEMPLATE) / (centred.conj() @ centred).real
        shift = TEMPLATE.mean() - turn * points.mean()
        matrix = numpy.array([[turn.real, -turn.imag, shift.real], [turn.imag, turn.real, shift.imag]])
        return cv2.cvtColor(cv2.warpAffine(image, matrix, (112, 112)), cv2.COLOR_BGR2RGB)

    def landmarks(self, image: numpy.ndarray, name: str) -> numpy.ndarray:
        height, width = image.shape[:2]
        scale = min(1.0, SIDE_MAX / max(height, width))
        small = image if scale == 1 else cv2.resize(image, (int(width * scale), int(height * scale)))
        self.detector.setInputSize((small.shape[1], small.shape[0]))
        _, faces = self.detector.detect(small)
        if faces is None:
            raise NoFace(f"no face was found in {name}")
        largest = max(faces, key=lambda face: face[2] * face[3]) / scale
        return largest[4:14:2] + 1j * largest[5:14:2]


def decode(image: str) -> numpy.ndarray:
    data = base64.b64decode(image.partition(",")[2] if image.startswith("data:") else image)
    image = cv2.imdecode(numpy.frombuffer(data, numpy.uint8), cv2.IMREAD_COLOR)
    if image is None:
        raise NoFace("an image could not be decoded")
    return image
