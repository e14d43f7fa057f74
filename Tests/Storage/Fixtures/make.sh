#!/bin/sh
# Makes format-N.sqlite, a store as one release writes it: make.sh STRANDLINE NUMBER
#
# STRANDLINE is the program of that release. Two devices write through it and through the sqlite3
# shell and exchange over a folder, so that the store holds every kind of thing that one can hold.
# format-N-killed.wal is the log that a killed process leaves beside it; format-N-older-model.sqlite
# is the other device's store.
set -eu
program=$1
number=$2
here=$(cd "$(dirname "$0")" && pwd)
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
mkdir "$home/share"
python3 - "$here/model.json" "$home/older.json" <<'PYTHON'
import json, sys
model = json.load(open(sys.argv[1]))
del model["entities"]["Label"], model["entities"]["Note"]["relationships"]["labels"]
del model["entities"]["Note"]["attributes"]["weight"]
json.dump(model, open(sys.argv[2], "w"))
PYTHON

run() {
  device=$1 model=$2
  shift 2
  "$program" --home "$home" --model "$model" --device "$device" --yes \
    --transport "directory:$home/share" "$@"
}
shell() { sqlite3 "$home/$1/store.sqlite" "$2"; }

# The shell chooses ids that tests can name; the program does the rest.
run phone "$here/model.json" schema > /dev/null
shell phone "
  INSERT INTO Folder(id, name) VALUES ('folder-home', 'Home'), ('folder-work', 'Work');
  INSERT INTO Label(id, name) VALUES ('label-red', 'red'), ('label-blue', 'blue');
  INSERT INTO Note(id, title) VALUES ('note-all', 'Grüße 🌊'), ('note-edited', 'first'),
    ('note-gone', 'gone'), ('note-again', 'before'), ('note-contested', 'both');"
printf '\000\001\377' > "$home/picture"
run phone "$here/model.json" \
  -c "set note-all count=42 weight=1.5 done=true due=2026-11-30T14:03:22Z token=0192f0c1-2345-7abc-8def-0123456789ab picture=@$home/picture extra='{\"a\":[1,null]}' folder=#folder-home" \
  -c 'set note-contested folder=#folder-work' \
  -c 'add note-all labels #label-red' -c 'add note-all labels #label-blue' \
  -c 'remove note-all labels #label-blue' -c 'set note-edited title=second count=7' \
  -c 'delete note-gone' -c 'delete note-again' \
  -c 'save Setting key=theme value=dark' -c 'save Draft text=secret' \
  -c 'begin' -c 'save Note title="made by the program"' -c 'save Folder name=Third' -c 'commit'
shell phone "INSERT INTO Note(id, title) VALUES ('note-again', 'after')"
run phone "$here/model.json" sync
# The laptop's model is older: it carries the weight, the labels and the links unseen.
run laptop "$home/older.json" -c 'sync' -c "set note-contested title=laptop" \
  -c 'save Note title=imported' -c 'set note-all count=43'
run phone "$here/model.json" -c 'set note-contested title=phone' -c 'sync'
run laptop "$home/older.json" -c 'sync'
run phone "$here/model.json" -c 'sync' -c 'save Note title=pending' \
  -c 'set note-edited count=8' -c 'delete folder-work'
# What other programs write, not yet in a transaction of Strandline's; and an index and a view
# of the person's own.
shell phone "PRAGMA foreign_keys = ON;
  INSERT INTO Note(id, title) VALUES ('note-shell', 'written by hand');
  UPDATE Note SET title = 'changed by hand' WHERE id = 'note-edited';
  INSERT INTO Setting(id, key, value) VALUES ('font', 'font', 'serif');
  CREATE INDEX mine ON Note(title);
  CREATE VIEW busy AS SELECT id, title FROM Note WHERE done = 0;"
# Facts that a peer would send: an edit of a life that is not known here.
shell phone "INSERT INTO strandline_parked(entity, record, life, property, stamp, value)
  SELECT number, 'unborn', 5, 'title', 6, 'waits' FROM strandline_entity WHERE key = 'Note';"
for device in phone laptop; do
  sqlite3 "$home/$device/store.sqlite" 'PRAGMA wal_checkpoint(TRUNCATE); VACUUM;' > /dev/null
done
cp "$home/phone/store.sqlite" "$here/format-$number.sqlite"
cp "$home/laptop/store.sqlite" "$here/format-$number-older-model.sqlite"

# A process that is killed leaves its last commits in the log alone, and a half transaction.
cp "$home/phone/store.sqlite" "$home/killed.sqlite"
python3 - "$home/killed.sqlite" <<'PYTHON' || true
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA wal_autocheckpoint = 0")
connection.execute("PRAGMA cache_size = 1")
connection.execute("UPDATE Note SET count = 99 WHERE id = 'note-all'")
connection.execute("INSERT INTO Note(id, title) VALUES ('note-last', 'in the log only')")
connection.execute("BEGIN")
connection.execute("DELETE FROM Note")
os.kill(os.getpid(), 9)
PYTHON
cmp "$home/killed.sqlite" "$here/format-$number.sqlite"
cp "$home/killed.sqlite-wal" "$here/format-$number-killed.wal"
