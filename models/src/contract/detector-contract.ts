import * as z from "zod";
import { Detector } from "../catalogue-entry.ts";
import { Contract } from "./contract.ts";

/**
 * An operator's description of a foreign detector whose boxes are relative to priors: squares in each cell of
 * one or several grids. `npm run models -- add` checks the file against it. Landmarks of such a detector are
 * ignored: the landmark model aligns (decision 150).
 */

const stridesMax = 8;
const rowsMax = 100_000;

/** Tensors [N, rows, numbers], cell by cell and row-major: one for each stride, or one for all. */
const Rows = z.array(z.string().min(1)).min(1).max(stridesMax);

const { name, title, input, licenses, licence_file, training_data, provenance, origin } = Contract.shape;

export const DetectorContract = z
  .strictObject({
    role: z.literal("detector"),
    name,
    title,
    input: input.extend({ px: z.int().min(32).max(1_280) }),
    outputs: z.strictObject({
      /** Rows of x, y, width and height, each relative to its prior. */
      boxes: Rows,
      /** Scores for a face. */
      classes: Rows,
      /** Scores for any object: the score is then the square root of the product. */
      objects: Rows.optional(),
    }),
    decoder: z.strictObject({
      /** Sides of the cells of each grid, in pixels. */
      strides: z.array(z.int().min(4)).min(1).max(stridesMax),
      /** Sides of the priors of a cell, for each stride, in pixels. */
      prior_px: z.array(z.array(z.number().positive()).min(1).max(8)),
      prior_at: z.enum(["corner", "centre"]),
      /** centre = prior + offset * variances[0] * its side; size = its side * exp(log * variances[1]) */
      variances: z.tuple([z.number().positive(), z.number().positive()]).default([1, 1]),
      /** Whether scores are probabilities already, or have to be converted. */
      activation: z.enum(["none", "sigmoid", "softmax"]).default("none"),
      /** How many classes a row of `classes` has, and which of them is the face, from 0. */
      classes: z.int().min(1).max(8).default(1),
      face_class: z.int().min(0).max(7).default(0),
    }),
    selection: Detector.shape.selection,
    landmark_box_scale: Detector.shape.landmark_box_scale,
    licenses,
    licence_file,
    training_data,
    provenance,
    origin,
  })
  .superRefine(({ input, outputs, decoder }, context) => {
    const { strides, prior_px, classes, face_class, activation } = decoder;
    const require = (isKept: boolean, path: string[], message: string): void => {
      if (!isKept) context.addIssue({ code: "custom", path, message });
    };
    require(prior_px.length === strides.length, ["decoder", "prior_px"], "must have a list for each stride");
    require(strides.every((stride) => input.px % stride === 0), [
      "input",
      "px",
    ], "must be a multiple of each stride");
    const rows = prior_px.length === strides.length ? rowsOf({ input, decoder }) : [];
    require(rows.reduce((sum, each) => sum + each, 0) <= rowsMax, [
      "decoder",
      "strides",
    ], `must give at most ${rowsMax} boxes`);
    require(face_class < classes, ["decoder", "face_class"], "must be one of the classes");
    require(activation !== "softmax" || classes > 1, [
      "decoder",
      "activation",
    ], "softmax needs several classes");
    for (const [key, names] of Object.entries(outputs)) {
      const isKept = names === undefined || names.length === 1 || names.length === strides.length;
      require(isKept, ["outputs", key], "must be one tensor, or one for each stride");
    }
  });
export type DetectorContract = z.infer<typeof DetectorContract>;

/** How many rows each grid has, in the order of the strides. */
export function rowsOf({ input, decoder }: GridShape): number[] {
  return decoder.strides.map((stride, i) => (input.px / stride) ** 2 * decoder.prior_px[i]!.length);
}

type GridShape = { input: { px: number }; decoder: { strides: number[]; prior_px: number[][] } };
