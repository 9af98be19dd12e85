import assert from "node:assert/strict";
import test from "node:test";
import { readLabelledPairs } from "./labelled-pairs.ts";

// Covers people.ts too.

const read = (...lines: string[]) => {
  const read = readLabelledPairs(lines.join("\n"));
  assert.ok(!("mistakes" in read), JSON.stringify(read));
  return read;
};
const mistakesOf = (...lines: string[]) => {
  const read = readLabelledPairs(lines.join("\n"));
  assert.ok("mistakes" in read);
  return read.mistakes;
};

test("DeepFace's list of pairs is read as it is, with the line ends of Windows", () => {
  const { images, pairs, peopleFrom } = read(
    "file_x,file_y,Decision\r",
    "a.jpg,b.jpg,Yes\r",
    "a.jpg,c.jpg,No",
  );
  assert.deepEqual(images, [
    { name: "a.jpg", line: 2 },
    { name: "b.jpg", line: 2 },
    { name: "c.jpg", line: 3 },
  ]);
  assert.deepEqual(pairs, [
    { images: [0, 1], same: true, group: undefined },
    { images: [0, 2], same: false, group: undefined },
  ]);
  assert.equal(peopleFrom, "same pairs");
});

test("columns may have any order and quotes, and others are ignored", () => {
  const { images, pairs, people, peopleFrom } = read(
    "group,label,right,left,left_person,right_person,note",
    '18 to 30,same,"b, 2.jpg",a.jpg,"Ada ""A""","Ada ""A""",x',
    'over 30,different,c.jpg,a.jpg,"Ada ""A""",Chi,',
  );
  assert.deepEqual(
    images.map(({ name }) => name),
    ["a.jpg", "b, 2.jpg", "c.jpg"],
  );
  assert.deepEqual(
    pairs.map(({ group }) => group),
    ["18 to 30", "over 30"],
  );
  assert.deepEqual([...people], [0, 0, 1]);
  assert.equal(peopleFrom, "ids");
});

test("without ids, images that pairs marked same connect are one person, also over a third image", () => {
  const { people } = read("left,right,label", "a,b,same", "c,d,different", "b,c,same", "e,a,different");
  assert.deepEqual([...people], [0, 0, 0, 1, 2]);
});

test("every wrong line is reported, with its number", () => {
  const mistakes = mistakesOf(
    "left,right,label,left_person,right_person,group",
    "a,b,same,ada,ada,x",
    "a,,same,ada,ada,x",
    "a,a,same,ada,ada,x",
    "",
    "a,c,maybe,ada,chi,x",
    "b,a,same,ada,ada,x",
    "a,c,different,ada,ada,x",
    "a,d,same,ada,dia,x",
    "a,e,different,dia,eve,x",
    "a,f,different,ada,,x",
    "a,g,different,ada,gus",
  );
  assert.deepEqual(mistakes, [
    "line 3: it names fewer than two images",
    "line 4: it compares a with itself",
    'line 6: "maybe" is not a label; write same or different',
    "line 7: line 2 has this pair already",
    "line 8: it is labelled different, but its people are ada and ada",
    "line 9: it is labelled same, but its people are ada and dia",
    "line 10: a shows dia, but ada in line 2",
    "line 11: the id of a person is missing",
    "line 12: the group is missing",
  ]);
});

test("without ids, labels that contradict each other are found", () => {
  assert.deepEqual(mistakesOf("left,right,label", "a,b,same", "b,c,same", "a,c,different", "a,d,different"), [
    "line 4: it is labelled different, but other lines make both one person",
  ]);
});

test("a file without the columns, without pairs of both kinds, or that is no CSV is refused", () => {
  assert.deepEqual(mistakesOf("one,two,label", "a,b,same"), [
    "line 1: it must name the columns left, right and label; it names one, two, label",
  ]);
  assert.deepEqual(mistakesOf("left,right,label,left_person", "a,b,same,c"), [
    "line 1: it names one of left_person and right_person; both are needed, or neither",
  ]);
  assert.deepEqual(mistakesOf("left,file_x,right,label"), ["line 1: the column left appears twice"]);
  assert.deepEqual(mistakesOf("left,right,label", "a,b,same"), ["no pair is labelled different"]);
  assert.deepEqual(mistakesOf(""), ["it is empty"]);
  assert.match(mistakesOf("left,right,label", 'a,"b,same').join(), /line 2/);
});
