"""Copies the weights to where DeepFace looks for them, and fails where dlib was built without BLAS.

usage: set_up.py WEIGHTS YUNET

YUNET may be missing. The last line of the output says whether it was found.
"""

import os
import shutil
import sys
from importlib.util import find_spec

import dlib

WEIGHTS, YUNET = sys.argv[1:3]

if not dlib.DLIB_USE_BLAS:
    sys.exit("dlib was built without BLAS; pip may have kept such a build: `pip cache remove dlib`, then set up again.")

# Its code needs an old setuptools, so it is not imported; only its files are needed.
models = os.path.join(os.path.dirname(find_spec("face_recognition_models").origin), "models")
os.makedirs(WEIGHTS, exist_ok=True)
for name in ("dlib_face_recognition_resnet_model_v1.dat", "shape_predictor_5_face_landmarks.dat"):
    shutil.copyfile(os.path.join(models, name), os.path.join(WEIGHTS, name))
if os.path.exists(YUNET):
    shutil.copyfile(YUNET, os.path.join(WEIGHTS, os.path.basename(YUNET)))
    print("with YuNet")
else:
    print(f"without YuNet: there is no {os.path.basename(YUNET)} in ../shared/data/models beside the repository")
