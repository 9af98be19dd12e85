"""Tests of faceline.deepface: the calls of DeepFace's README, beside a running service."""

import unittest
from typing import List

import numpy as np
from PIL import Image

from faceline import deepface as DeepFace
from faceline import NoFaceDetected


class CallsOfTheReadme(unittest.TestCase):
    def test_verify(self):
        result: dict = DeepFace.verify(img1_path = "img1.jpg", img2_path = "img2.jpg")
        self.assertIs(result["verified"], True)
        self.assertLessEqual(result["distance"], result["threshold"])
        for name in ("model", "detector_backend", "similarity_metric", "facial_areas", "time"):
            self.assertIn(name, result)
        self.assertLessEqual({"x", "y", "w", "h", "left_eye", "right_eye"}, result["facial_areas"]["img1"].keys())

    def test_represent(self):
        embedding_objs: List[dict] = DeepFace.represent(img_path = "img.jpg")
        self.assertEqual(len(embedding_objs), 1)
        self.assertEqual(len(embedding_objs[0]["embedding"]), 128)
        self.assertGreater(embedding_objs[0]["facial_area"]["w"], 0)
        self.assertGreater(embedding_objs[0]["face_confidence"], 0.5)

    def test_models(self):
        models = ["VGG-Face", "Facenet", "Facenet512", "OpenFace", "DeepFace", "DeepID", "ArcFace", "Dlib", "SFace"]
        with self.assertRaisesRegex(ValueError, "model_name must be one of: .*SFace"):
            DeepFace.verify(img1_path = "img1.jpg", img2_path = "img2.jpg", model_name = models[0])
        result = DeepFace.verify(img1_path = "img1.jpg", img2_path = "img2.jpg", model_name = models[8])
        self.assertEqual(result["model"], "SFace")
        embeddings = DeepFace.represent(img_path = "img.jpg", model_name = models[8])
        self.assertTrue(DeepFace.verify(embeddings[0]["embedding"], "img2.jpg", "SFace")["verified"])
        self.assertIsNone(DeepFace.verify([1.0] * 128, "img2.jpg", "SFace")["facial_areas"]["img1"]["x"])

    def test_detectors(self):
        with self.assertRaisesRegex(ValueError, "detector_backend must be one of: .*auto"):
            DeepFace.verify("img1.jpg", "img2.jpg", detector_backend = "opencv", align = True)
        obj = DeepFace.verify(
          img1_path = "img1.jpg", img2_path = "img2.jpg", detector_backend = "auto", align = True
        )
        self.assertEqual(obj["detector_backend"], "auto")

    def test_metrics(self):
        metrics = ["cosine", "euclidean", "euclidean_l2", "angular"]
        result = DeepFace.verify(
          img1_path = "img1.jpg", img2_path = "img2.jpg", distance_metric = metrics[1]
        )
        self.assertEqual(result["similarity_metric"], "euclidean")
        with self.assertRaisesRegex(ValueError, "distance_metric must be one of: cosine"):
            DeepFace.verify("img1.jpg", "img2.jpg", distance_metric = metrics[3])


class Images(unittest.TestCase):
    def test_an_array_is_bgr_as_opencv_reads_it(self):
        rgb = np.asarray(Image.open("img1.jpg").convert("RGB"))
        same = DeepFace.verify("img1.jpg", rgb[:, :, ::-1])["distance"]
        swapped = DeepFace.verify("img1.jpg", rgb)["distance"]
        self.assertLess(same, 0.01)
        self.assertGreater(swapped, 2 * same)
        grey = np.asarray(Image.open("img1.jpg").convert("L"))
        self.assertTrue(DeepFace.verify("img1.jpg", grey)["verified"])
        with self.assertRaisesRegex(ValueError, "uint8"):
            DeepFace.verify("img1.jpg", rgb / 255)

    def test_several_images_have_a_list_each(self):
        faces = DeepFace.represent(["img1.jpg", np.asarray(Image.open("img2.jpg"))[:, :, ::-1]], max_faces=1)
        self.assertEqual([len(each) for each in faces], [1, 1])

    def test_what_is_not_offered_is_a_value_error(self):
        for option in ({"anti_spoofing": True}, {"expand_percentage": 10}, {"distance_metric": max}):
            with self.assertRaisesRegex(ValueError, "^Faceline does not offer"):
                DeepFace.verify("img1.jpg", "img2.jpg", **option)
        for option in ({"return_face": True}, {"minmax_normalize": True}):
            with self.assertRaisesRegex(ValueError, "^Faceline does not offer"):
                DeepFace.represent("img1.jpg", **option)
        with self.assertRaisesRegex(ValueError, "There is no file missing.jpg"):
            DeepFace.verify("missing.jpg", "img2.jpg")
        with self.assertRaisesRegex(ValueError, "download the image"):
            DeepFace.verify("https://example.org/a.jpg", "img2.jpg")
        with self.assertRaises(NoFaceDetected) as raised:
            DeepFace.verify("img1.jpg", "plain.png")
        self.assertIsInstance(raised.exception, ValueError)
        self.assertFalse(DeepFace.verify("img1.jpg", "plain.png", enforce_detection=False)["verified"])


if __name__ == "__main__":
    unittest.main()
