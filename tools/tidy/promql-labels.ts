import { type MetricDefinition, type MetricName, metricList } from "@faceline/contracts/metrics/list";
import { prometheusName } from "@faceline/contracts/metrics/prometheus-name";
import { parser } from "@prometheus-io/lezer-promql";

/**
 * Returns the labels that the series of a PromQL expression may have, by the list of metrics, the names of
 * the metrics that it reads, and the selectors that any job fits. Throws an Error that says what is wrong if
 * the syntax is, or where a series or a label does not exist. `$__rate_interval` must have been replaced by a
 * duration.
 */
export function labelsOfExpression(expression: string): ExpressionFacts {
  const metrics = new Set<MetricName>();
  const anyJob: string[] = [];
  const tree = parser.parse(expression);
  tree.iterate({
    enter({ type, from }) {
      if (type.isError) throw new Error(`syntax error at column ${from + 1} of ${expression}`);
    },
  });
  return { labels: labelsOf(tree.topNode, { expression, metrics, anyJob }), metrics, anyJob };
}

function labelsOf(node: Node, context: Context): Set<string> {
  const { expression } = context;
  switch (node.type.name) {
    case "VectorSelector":
      return labelsOfSelector(node, context);
    case "AggregateExpr": {
      const inner = labelsOf(node.getChild("FunctionCallBody")!, context);
      const modifier = node.getChild("AggregateModifier");
      if (modifier === null) return new Set();
      const listed = textsOf(modifier.getChild("GroupingLabels")!, "LabelName", expression);
      mustExist(listed, inner, textOf(node, expression));
      return modifier.getChild("By") === null ? inner.difference(new Set(listed)) : new Set(listed);
    }
    case "FunctionCall": {
      const body = node.getChild("FunctionCallBody")!;
      const labels = labelsOf(body, context);
      const name = textOf(node.getChild("FunctionIdentifier")!, expression);
      if (name === "histogram_quantile") {
        mustExist(["le"], labels, textOf(node, expression));
        labels.delete("le");
      }
      if (name === "label_replace") {
        const [target = "", , source = ""] = textsOf(body, "StringLiteral", expression).map((each) =>
          each.slice(1, -1),
        );
        if (source !== "") mustExist([source], labels, textOf(node, expression));
        labels.add(target);
      }
      return labels;
    }
    case "MatchingModifierClause":
      return new Set();
    case "BinaryExpr": {
      const labels = labelsOfChildren(node, context);
      const modifier = node.getChild("MatchingModifierClause");
      const listed = (modifier?.getChildren("GroupingLabels") ?? []).flatMap((each) =>
        textsOf(each, "LabelName", expression),
      );
      mustExist(listed, labels, textOf(node, expression));
      return labels;
    }
    default:
      return labelsOfChildren(node, context);
  }
}

function labelsOfChildren(node: Node, context: Context): Set<string> {
  let labels = new Set<string>();
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    labels = labels.union(labelsOf(child, context));
  }
  return labels;
}

function labelsOfSelector(node: Node, { expression, metrics, anyJob }: Context): Set<string> {
  const identifier = node.getChild("Identifier");
  const matchers = node.getChild("LabelMatchers")?.getChildren("UnquotedLabelMatcher") ?? [];
  const matched = matchers.map((each) => textOf(each.getChild("LabelName")!, expression));
  const name = identifier === null ? "" : textOf(identifier, expression);
  const one = series.get(name);
  const others = seriesOfOthers[name];
  if (one === undefined && others !== undefined) {
    mustExist(matched, new Set(others), textOf(node, expression));
    return new Set(others);
  }
  if (!textOf(node, expression).includes('job=~"faceline.*"')) anyJob.push(textOf(node, expression));
  // A selector without a name is one of many metrics.
  if (identifier === null) return new Set(matched);
  if (one === undefined) throw new Error(`no metric has the series ${name}: ${expression}`);
  metrics.add(one.metric);
  mustExist(matched, one.labels, textOf(node, expression));
  return new Set(one.labels);
}

function mustExist(labels: string[], known: Set<string>, where: string): void {
  const unknown = labels.find((label) => !known.has(label));
  if (unknown !== undefined) throw new Error(`no series has the label ${unknown}: ${where}`);
}

const textOf = ({ from, to }: Node, expression: string): string => expression.slice(from, to);
const textsOf = (node: Node, kind: string, expression: string): string[] =>
  node.getChildren(kind).map((each) => textOf(each, expression));

/** Prometheus adds these to every series that it scrapes. */
const ofScrape = ["instance", "job"];

/** Labels of series that Prometheus, the kubelet, and exporters of machines and GPUs make. */
const seriesOfOthers: Record<string, string[]> = {
  up: ofScrape,
  kubelet_volume_stats_available_bytes: ["namespace", "persistentvolumeclaim", ...ofScrape],
  kubelet_volume_stats_capacity_bytes: ["namespace", "persistentvolumeclaim", ...ofScrape],
  node_filesystem_avail_bytes: ["mountpoint", ...ofScrape],
  node_filesystem_size_bytes: ["mountpoint", ...ofScrape],
  DCGM_FI_DEV_GPU_UTIL: ["gpu", "Hostname", ...ofScrape],
  DCGM_FI_DEV_FB_USED: ["gpu", "Hostname", ...ofScrape],
  DCGM_FI_DEV_FB_FREE: ["gpu", "Hostname", ...ofScrape],
};

/** Every series of every metric, with its labels. */
const series = new Map(
  (Object.keys(metricList) as MetricName[]).flatMap((metric) => {
    const { kind, attributes }: MetricDefinition = metricList[metric];
    const labels = [...attributes.map((each) => each.replaceAll(".", "_")), ...ofScrape];
    const name = prometheusName(metric);
    const histogram = { _bucket: [...labels, "le"], _sum: labels, _count: labels };
    const suffixes = kind === "histogram" ? histogram : { "": labels };
    return Object.entries(suffixes).map(
      ([suffix, each]): [string, { metric: MetricName; labels: Set<string> }] => [
        name + suffix,
        { metric, labels: new Set(each) },
      ],
    );
  }),
);

type Node = ReturnType<typeof parser.parse>["topNode"];
type Context = Pick<ExpressionFacts, "metrics" | "anyJob"> & { expression: string };

type ExpressionFacts = { labels: Set<string>; metrics: Set<MetricName>; anyJob: string[] };
