#!/bin/sh
# Make the follow-ups of the triplet corpora once, for studies/mato.py on a machine without WordNet.
#     sh studies/followups.sh CORPORA FOLLOWUPS
# Both are folders; the first holds 14lap-train.jsonl, 14lap-dev.jsonl, 14lap-test.jsonl and so on.
set -eu
mkdir -p "$2"
for name in 14lap 14res 15res 16res; do
    for part in train dev test; do
        aspectlab metamorphic generate "$1/$name-$part.jsonl" --train "$1/$name-train.jsonl" \
            --out "$2/$name-$part.jsonl"
    done
done
