import { readFileSync } from "node:fs";
import { alignmentTemplates } from "@faceline/inference/align/templates";
import { PoseEstimate } from "@faceline/inference/quality/pose";
const rows = JSON.parse(readFileSync("/tmp/cards-exp/cover.json", "utf8")).filter((r: any) => r.cond === "clear" && r.lm);
const base = alignmentTemplates.ibug_68;
const drop = (...ids: number[]) => ({ ...base, depths: Object.fromEntries(Object.entries(base.depths).filter(([k]) => !ids.includes(Number(k)))) });
const variants: Record<string, any> = { now: base, noMouth: drop(48, 54), noNoseTipBelow: drop(31, 32, 34, 35), noBridge: drop(27, 28), noEyesInner: drop(39, 42) };
const beard = new Set([11, 14, 17, 26, 28, 37]);
for (const [name, template] of Object.entries(variants)) {
  const est = new PoseEstimate(template);
  const by = new Map<string, number[]>();
  const lab: number[] = [];
  const yaw: number[] = [];
  for (const r of rows) {
    const p = est.of(r.lm.map(([x, y]: any) => ({ x, y })));
    yaw.push(p.yaw - r.yaw);
    if (r.set === "held-out") { const k = r.name.split("/")[0]; by.set(k, [...(by.get(k) ?? []), p.pitch]); } else lab.push(p.pitch);
  }
  const means = [...by].map(([k, v]) => [Number(k.slice(1)), v.reduce((a, b) => a + b, 0) / v.length, Math.sqrt(v.reduce((a, b) => a + (b - v.reduce((c, d) => c + d, 0) / v.length) ** 2, 0) / v.length)] as const);
  const m = (v: number[]) => v.reduce((a, b) => a + b, 0) / v.length;
  const sd = (v: number[]) => Math.sqrt(m(v.map((x) => (x - m(v)) ** 2)));
  const b = means.filter(([k]) => beard.has(k)).map(([, x]) => x), o = means.filter(([k]) => !beard.has(k)).map(([, x]) => x);
  const all = [...by.values()].flat();
  console.log(name, "labelled", m(lab).toFixed(1), sd(lab).toFixed(1), "| others", m(o).toFixed(1), "sd", sd(o).toFixed(1), "| beards", m(b).toFixed(1), b.map((x) => Math.round(x)).join(), "| within sd", m(means.map(([, , s]) => s)).toFixed(1), "| >20 after recentring", all.filter((x) => x - m(lab) > 20).length, "of", all.length, "max lab", Math.max(...lab).toFixed(0));
}
