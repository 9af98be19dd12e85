import * as z from "zod";
import { LaneId, PoolName } from "@faceline/contracts/wire/ids";

/** Bounds of settings that an operator gives at the start and may change later. */
export const settingBounds = {
  utilisationTarget: { min: 0.3, max: 1 },
  laneWaitingMax: { min: 1, max: 100_000 },
} as const;

const { utilisationTarget, laneWaitingMax } = settingBounds;

/** Settings of a pool that may change while its batchers run. */
export const AdjustablePoolSettings = z.strictObject({
  /** Largest batch; null: the largest size that workers have loaded. */
  batchMax: z.number().int().min(1).max(1_024).nullable(),
  /** See UTILISATION_TARGET. */
  utilisationTarget: z.number().min(utilisationTarget.min).max(utilisationTarget.max),
  /** See LANE_WAITING_MAX. */
  laneWaitingMax: z.number().int().min(laneWaitingMax.min).max(laneWaitingMax.max),
});
export type AdjustablePoolSettings = z.infer<typeof AdjustablePoolSettings>;

/** Body of PUT /settings of a batcher. */
export const PoolSettingsChange = z.strictObject({
  /** Revision that the operator has seen: others may have changed the settings since. */
  revision: z.number().int().min(0),
  settings: AdjustablePoolSettings,
});

/** Reply to GET /settings of a batcher, and to PUT and DELETE after a change. */
export const PoolSettings = z.object({
  batcher: z.string().max(128),
  pool: PoolName,
  role: z.enum(["active", "standby", "cut_off", "stopping"]),
  /** Grows by one with every change. */
  revision: z.number().int().min(0),
  settings: AdjustablePoolSettings,
  /** Settings at the start of the batcher, which hold again after a restart. */
  started: AdjustablePoolSettings,
  /** Workers in service; absent in 0.1.0. */
  workers: z.number().int().min(0).optional(),
  /** Lanes that workers have loaded. */
  lanes: z.array(z.object({ lane: LaneId, digest: z.string(), sizes: z.array(z.number().int()) })).max(64),
  /** The last changes, the newest first. */
  changes: z
    .array(
      z.object({
        at: z.iso.datetime(),
        /** Name that the operator gave: the token is the same for all. */
        by: z.string().max(64),
        from: AdjustablePoolSettings,
        to: AdjustablePoolSettings,
      }),
    )
    .max(64),
});
export type PoolSettings = z.infer<typeof PoolSettings>;

/** Reply to a refused change. */
export const SettingsRefusal = z.object({ error: z.string().max(1_024) });
