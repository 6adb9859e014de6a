import * as z from "zod";
import { warmingStates, warmingStops } from "../../enums.ts";
import { Id, Instant, integer, upperEnum, WideId } from "../platform/fields.ts";

export const WarmingCreate = z
  .object({
    version: integer(1).optional().meta({
      description: "Version of the tutor's prompt to use; default: the version in use",
    }),
    most_nodes: integer(1, 1000).meta({ description: "Maximum number of generated answers" }),
    at_once: z
      .boolean()
      .default(false)
      .meta({
        description:
          "Whether to skip batches and call the model directly, four calls at a time. Levels of at least ten " +
          "answers can use batches. A batch costs less, but takes up to a day for each level",
      }),
  })
  .meta({ id: "WarmingCreate" });

/** Millionths of the currency of `LLM_PRICES`. */
const micros = z.number().nullable();

export const Warming = z
  .object({
    id: WideId,
    content_item_id: Id,
    state: upperEnum(warmingStates).meta({
      description: "`WAITING` for a process, `RUNNING`, `DONE`, or `STOPPED` early with a `stop_reason`",
    }),
    stop_reason: upperEnum(warmingStops)
      .nullable()
      .meta({
        description:
          "`BUDGET`: the university's monthly tokens are used up. `LLM`: the LLM failed or refused. " +
          "`CHANGED`: the tutor's input, prompt or model changed",
      }),
    prompt_name: z.string(),
    prompt_version: z.int(),
    model: z.string(),
    most_nodes: z.int().meta({ description: "Requested maximum number of answers" }),
    by_batch: z.boolean().meta({
      description:
        "Whether levels of at least ten answers are sent as batches, each of which takes up to a day",
    }),
    estimate: z
      .object({
        calls: z.int().meta({ description: "One call for each planned answer" }),
        input_tokens: z.int(),
        output_tokens: z.int(),
        cost_micros: micros.meta({
          description:
            "Cost in millionths of the currency of `LLM_PRICES`, at batch prices for batched levels; " +
            "null if the model has no price",
        }),
      })
      .meta({ description: "Maximum use for all answers, estimated by the lengths of earlier answers" }),
    nodes: z
      .object({
        planned: z.int().meta({ description: "Total number" }),
        waiting: z.int().meta({ description: "Not generated yet" }),
        made: z.int().meta({ description: "Generated and stored by this warming" }),
        found: z.int().meta({ description: "Already stored or known when their turn came" }),
        left_out: z
          .int()
          .meta({ description: "Skipped, because the new parent answer does not offer the option" }),
        failed: z.int().meta({ description: "Cut off, refused, empty, or with an unreadable question" }),
      })
      .meta({ description: "Nodes with at least three expected visits" }),
    calls: z.int().meta({ description: "LLM calls so far, including failed ones" }),
    calls_estimated: z.int().meta({
      description: "Calls with usage and cost estimated from the length of their texts",
    }),
    cost_micros: micros.meta({
      description:
        "Cost so far, in millionths of the currency of `LLM_PRICES`; null while no call has a price",
    }),
    created_at: Instant,
    started_at: Instant.nullable().meta({ description: "When a process started to work on it" }),
    ended_at: Instant.nullable().meta({ description: "When it was done or stopped" }),
  })
  .meta({ id: "Warming" });

export type WarmingCreate = z.output<typeof WarmingCreate>;
export type Warming = z.input<typeof Warming>;
