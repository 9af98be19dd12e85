import { type AccuracyPlan, metrics, type Row } from "./accuracy.ts";

/**
 * What is promised of the configuration that is usual, and does not hold: a sentence each.
 *
 * Of the pictures as they are, every face is found and every verdict right. Of worse copies, no more than one in a
 * hundred is lost beside the reference, in faces and in verdicts: which with 25 pictures means no face at all.
 */
export function brokenPromises({ usual, reference, cases }: Judged, rows: readonly Row[]): string[] {
  const rowOf = (name: string, configuration: string) =>
    rows.find((row) => row.case === name && row.configuration === configuration)!;
  return cases.flatMap(({ name }, i) => {
    const [here, there] = [rowOf(name, usual), rowOf(name, reference)];
    const lost = (i === 0 ? asTheyAre : degraded)(here, there);
    return lost.map((what) => `${usual}, ${name}: ${what}`);
  });
}

function asTheyAre(here: Row): string[] {
  const faces = here.detected < here.of ? [`${here.detected} of ${here.of} faces found`] : [];
  const verdicts = metrics.flatMap((metric) => {
    const { right, of } = here[metric];
    return right < of ? [`${right} of ${of} right by ${metric}`] : [];
  });
  return [...faces, ...verdicts];
}

function degraded(here: Row, there: Row): string[] {
  const worse = (part: number, whole: number) => part > LOST_MAX * whole;
  const faces = worse(there.detected - here.detected, here.of)
    ? [`${here.detected} of ${here.of} faces found, of the reference ${there.detected}`]
    : [];
  const verdicts = metrics.flatMap((metric) => {
    const { right, of } = here[metric];
    return worse(there[metric].right - right, of)
      ? [`${right} of ${of} right by ${metric}, of the reference ${there[metric].right}`]
      : [];
  });
  return [...faces, ...verdicts];
}

const LOST_MAX = 0.01;

type Judged = Pick<AccuracyPlan, "usual" | "reference" | "cases">;
