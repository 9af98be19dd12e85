import type { RuleGroup } from "./alert-rules.ts";

/** Returns the text of a rule file of Prometheus. Strings are quoted as in JSON, which YAML reads. */
export const rulesFile = (groups: RuleGroup[]): string => `${heading}${yamlOf({ groups }, "")}\n`;

const heading = "# Made by `npm run fix` from deploy/observe/alerts. Runbook: deploy/OPERATING.md\n";

function yamlOf(value: Yaml, indent: string): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value)) {
    return value.map((each) => `${indent}- ${yamlOf(each, `${indent}  `).trimStart()}`).join("\n");
  }
  return Object.entries(value)
    .map(([key, each]) => {
      const text = yamlOf(each, typeof each === "object" && !Array.isArray(each) ? `${indent}  ` : indent);
      return `${indent}${key}:${typeof each === "string" ? ` ${text}` : `\n${text}`}`;
    })
    .join("\n");
}

type Yaml = string | { [key: string]: Yaml } | Yaml[];
