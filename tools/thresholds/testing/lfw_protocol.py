"""An independent computation of LFW's numbers, which lfw-sample.test.ts compares with.

Takes a folder with pairs.txt and embeddings.json (numbers by image, null without a face), prints JSON.
"""

import json
import math
import sys
from bisect import bisect_right as bisect
from pathlib import Path

folder = Path(sys.argv[1])
embeddings = json.loads((folder / "embeddings.json").read_text())
lines = [line.split("\t") for line in (folder / "pairs.txt").read_text().splitlines()]
folds, half = int(lines[0][0]), int(lines[0][1])


def distance(one, other):
    a = embeddings["%s/%s_%04d.jpg" % (one[0], one[0], int(one[1]))]
    b = embeddings["%s/%s_%04d.jpg" % (other[0], other[0], int(other[1]))]
    if a is None or b is None:
        return None
    cosine = sum(x * y for x, y in zip(a, b)) / math.sqrt(sum(x * x for x in a) * sum(y * y for y in b))
    return round(max(0.0, 1 - cosine), 6)


pairs = []
for number, line in enumerate(lines[1:]):
    fold = number // (2 * half)
    if len(line) == 3:
        pairs.append((fold, True, distance(line[:2], [line[0], line[2]])))
    else:
        pairs.append((fold, False, distance(line[:2], line[2:])))


def right(pair, threshold):
    matches = pair[2] is not None and pair[2] <= threshold
    return matches == pair[1]


def distances(pairs, same):
    return sorted(pair[2] for pair in pairs if pair[1] == same and pair[2] is not None)


def accuracy(pairs):
    shares = []
    for fold in range(folds):
        train = [pair for pair in pairs if pair[0] != fold]
        test = [pair for pair in pairs if pair[0] == fold]
        same, different = distances(train, True), distances(train, False)
        candidates = [-1.0] + same + different
        best = max(candidates, key=lambda each: (bisect(same, each) - bisect(different, each), -each))
        shares.append(sum(right(pair, best) for pair in test) / len(test))
    mean = sum(shares) / folds
    squares = sum((share - mean) ** 2 for share in shares)
    return {
        "mean": mean,
        "deviation": math.sqrt(squares / folds),
        "standardError": math.sqrt(squares / (folds - 1)) / math.sqrt(folds),
    }


def true_accept_rate(fmr):
    strangers = distances(pairs, False)
    same = [pair[2] for pair in pairs if pair[1]]
    first_refused = strangers[int(round(fmr * len(strangers), 6))]
    return sum(each is not None and each < first_refused for each in same) / len(same)


print(
    json.dumps(
        {
            "all": accuracy(pairs),
            "ofFaces": accuracy([pair for pair in pairs if pair[2] is not None]),
            "tars": [true_accept_rate(0.01), true_accept_rate(0.001)],
        }
    )
)
