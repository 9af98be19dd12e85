import { meanOf, ofActive, ofLane, ofTeams, quantileOf, rateOf } from "./expressions.ts";
import type { Page } from "./panel.ts";

const alpha = `max by (lane) (${ofActive("faceline_run_model_alpha_seconds", ofLane)})`;
const beta = `max by (lane) (${ofActive("faceline_run_model_beta_seconds", ofLane)})`;
const workers = `sum by (lane) (${ofActive("faceline_workers", ofLane)})`;
const sizeNow = meanOf("faceline_batch_size", "lane", ofLane);

/** The learned time of a run of n tasks, in seconds. */
const runOf = (n: string | number): string => `(${alpha} + ${n} * ${beta})`;
/** Tasks a second and worker in batches of n, if the worker did nothing but run. */
const throughputOf = (n: string | number): string => `(${n} / ${runOf(n)})`;

/** Its value for the lane that sends most batches. */
const ofBusiest = (expression: string): string =>
  `max((${expression}) and on (lane) topk(1, ${rateOf("faceline_batches_total", "lane", ofLane)}))`;

/** Sizes of which the table says what they would give. */
const sizes = [1, 2, 4, 8, 16, 32, 64];
const largest = 64;
/** Of lanes that had a batch: the learned times of the others are guesses. */
const ofEachSize = (expression: (n: number) => string): string =>
  `(${sizes.map((n) => `label_replace(${expression(n)}, "size", "${n}", "", "")`).join(" or ")}) ` +
  `and on (lane) (sum by (lane) (faceline_batches_total{${ofLane}}) > 0)`;

export const batchingPage: Page = {
  name: "batching",
  title: "Is a bigger batch worth it?",
  rows: [
    {
      title: "What is sent",
      panels: [
        {
          kind: "lines",
          title: "Batch size",
          question:
            "How many tasks run together? At most BATCH_MAX of the workers. The quantile is to the width of a " +
            "bucket (1, 2, 4, 8 …).",
          unit: "number",
          queries: [
            { expr: sizeNow, legend: "{{lane}} mean" },
            { expr: quantileOf(0.95, "faceline_batch_size", "lane", ofLane), legend: "{{lane}} p95" },
          ],
        },
        {
          kind: "stacked",
          title: "Batches, by what decided their size",
          question:
            "Why are batches not larger? full: they have the useful size or BATCH_MAX, and there may have been " +
            "more tasks. floor: just large enough to keep up. slack: nobody else waited, or could wait. " +
            "hold_expired: the wait for neighbours was over. retry: parts of a batch that was lost. drain: " +
            "the end of a worker.",
          unit: "perSecond",
          queries: [{ expr: rateOf("faceline_batches_total", "reason", ofLane), legend: "{{reason}}" }],
        },
        {
          kind: "lines",
          title: "Padding",
          question: "Which share of what is computed is thrown away, because a batch is padded to a bucket?",
          unit: "share",
          queries: [
            {
              expr: `${rateOf("faceline_batch_padding_sum", "lane", ofLane)} / (${rateOf("faceline_batch_padding_sum", "lane", ofLane)} + ${rateOf("faceline_batch_size_sum", "lane", ofLane)})`,
              legend: "{{lane}}",
            },
          ],
          thresholds: { warnAt: 0.25, alarmAt: 0.5 },
        },
      ],
    },
    {
      title: "How busy the workers are",
      panels: [
        {
          kind: "stacked",
          title: "Utilisation of the workers, by lane",
          question:
            "Which share of the workers' time do runs take? Near 1 tasks queue, and only larger batches or " +
            "more workers serve more. Far below 1 larger batches would only add waiting.",
          unit: "share",
          queries: [
            {
              expr: `${rateOf("faceline_run_duration_seconds_sum", "lane", ofLane)} / on () group_left () max(sum by (lane) (${ofActive("faceline_workers")}))`,
              legend: "{{lane}}",
            },
          ],
          thresholds: { warnAt: 0.85, alarmAt: 0.95 },
        },
        {
          kind: "lines",
          title: "Tasks sent and tasks refused",
          question: "How much work comes, and how much of it is turned away, anonymous calls aside?",
          unit: "perSecond",
          queries: [
            { expr: rateOf("faceline_batch_size_sum", "lane", ofLane), legend: "{{lane}} sent" },
            {
              expr: rateOf("faceline_tasks_shed_total", "lane", `${ofTeams}, ${ofLane}`),
              legend: "{{lane}} refused",
            },
          ],
        },
        {
          kind: "lines",
          title: "Oldest task and run time",
          question:
            "Do tasks wait longer than a run takes? Then a queue builds up, and there is something to fill " +
            "larger batches with.",
          unit: "s",
          queries: [
            {
              expr: `max by (lane) (${ofActive("faceline_queue_age_seconds", ofLane)})`,
              legend: "{{lane}} oldest task",
            },
            { expr: meanOf("faceline_run_duration_seconds", "lane", ofLane), legend: "{{lane}} run" },
          ],
        },
      ],
    },
    {
      title: "What a bigger batch would give",
      panels: [
        {
          kind: "figure",
          title: "Mean size now",
          question:
            "From where would batches grow? The four figures are of the lane that sends most batches.",
          unit: "number",
          expr: ofBusiest(sizeNow),
        },
        {
          kind: "figure",
          title: "Gain of twice the size",
          question:
            "How many more tasks a second would each worker do in batches of twice the mean size, by the " +
            "learned times? Below 5 % it is not worth it.",
          unit: "share",
          expr: ofBusiest(`${throughputOf(`(2 * ${sizeNow})`)} / ${throughputOf(`(${sizeNow})`)} - 1`),
        },
        {
          kind: "figure",
          title: "Its price",
          question: "How much longer would each run take, and with it every task in it?",
          unit: "s",
          expr: ofBusiest(`(${sizeNow}) * ${beta}`),
        },
        {
          kind: "figure",
          title: "Size that is enough",
          question:
            `With which size does a worker do 95 % of the tasks a second that it would do with ${largest}, by ` +
            "the learned times? The batcher stops there, or earlier if BATCH_MAX, deadlines or the preparation " +
            "of images demand it.",
          unit: "number",
          // Solves n / (alpha + beta n) = 0.95 · N / (alpha + beta N) for n.
          expr: ofBusiest(
            `ceil(clamp_min(${0.95 * largest} * ${alpha} / (${alpha} + ${0.05 * largest} * ${beta}), 1))`,
          ),
        },
        {
          kind: "table",
          title: "Tasks a second against run time, by size of batch",
          question:
            "What does each size give, and what does it cost? Learned: alpha + beta n. Measured: batches of " +
            "that size that ran lately. Where they differ by much more than the residual, trust the measured " +
            "ones. Tasks a second are those of all workers, if they did nothing else.",
          labels: ["lane", "size"],
          columns: [
            {
              title: "tasks/s",
              unit: "perSecond",
              expr: ofEachSize((n) => `${workers} * ${throughputOf(n)}`),
            },
            {
              title: `share of size ${largest}`,
              unit: "share",
              expr: ofEachSize((n) => `${throughputOf(n)} / ${throughputOf(largest)}`),
            },
            { title: "run, learned", unit: "s", expr: ofEachSize(runOf) },
            {
              title: "run, measured",
              unit: "s",
              expr: bySize(meanOf("faceline_run_duration_seconds", "lane, bucket", ofLane)),
            },
            {
              title: "batches/s",
              unit: "perSecond",
              expr: bySize(rateOf("faceline_run_duration_seconds_count", "lane, bucket", ofLane)),
            },
          ],
        },
        {
          kind: "lines",
          title: "Run time of a batch, by bucket",
          question: "How much longer does a larger batch really run?",
          unit: "s",
          queries: [
            {
              expr: meanOf("faceline_run_duration_seconds", "lane, bucket", ofLane),
              legend: "{{lane}}, {{bucket}} tasks",
            },
          ],
        },
        {
          kind: "lines",
          title: "Share of a run that computes",
          question:
            "Do runs wait for a core? With INTRA_OP_THREADS=1 and a worker for each core, the service around " +
            "them leaves 50 to 60 % under load. Less than usual means other programs, or too many workers. An " +
            "accelerator computes beside the cores: there the share says nothing.",
          unit: "share",
          queries: [
            {
              expr: `${rateOf("faceline_run_cpu_time_seconds_total", "lane", ofLane)} / ${rateOf("faceline_run_duration_seconds_sum", "lane", ofLane)}`,
              legend: "{{lane}}",
            },
          ],
        },
        {
          kind: "lines",
          title: "Learned times",
          question:
            "What was learned: alpha, the time of a run as such, beta, the time of each further task, and " +
            "the mean error of both. If beta alone is large, a batch takes as long as its tasks one by one.",
          unit: "s",
          queries: [
            { expr: alpha, legend: "{{lane}} alpha" },
            { expr: beta, legend: "{{lane}} beta" },
            {
              expr: `max by (lane) (${ofActive("faceline_run_model_residual_seconds", ofLane)})`,
              legend: "{{lane}} residual",
            },
          ],
        },
      ],
    },
    {
      title: "Whether the predictions hold",
      panels: [
        {
          kind: "lines",
          title: "Run time against its prediction, p95",
          runbook: "FacelineRunTimeModelWrong",
          question: "How far are run times from what the batcher expected? long: the run took longer.",
          unit: "s",
          queries: [
            {
              expr: quantileOf(0.95, "faceline_run_prediction_error_seconds", "lane, direction", ofLane),
              legend: "{{lane}} {{direction}}",
            },
          ],
        },
        {
          kind: "lines",
          title: "End of a batch against its prediction, p95",
          question:
            "How far are batches from the end that was expected at dispatch? late and the run is not long: " +
            "the time is lost on the way or in the preparation.",
          unit: "s",
          queries: [
            {
              expr: quantileOf(0.95, "faceline_batch_lateness_seconds", "lane, direction", ofLane),
              legend: "{{lane}} {{direction}}",
            },
          ],
        },
      ],
    },
  ],
};

/** Calls the label `bucket` of an expression `size`, so that it stands beside the learned ones. */
function bySize(expression: string): string {
  return `sum by (lane, size) (label_replace(${expression}, "size", "$1", "bucket", "(.*)"))`;
}
