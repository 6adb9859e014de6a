import * as z from "zod";
import { warmingStates, warmingStops } from "../../enums.ts";
import { Id, Instant, integer, upperEnum, WideId } from "../platform/fields.ts";

export const WarmingCreate = z
  .object({
    version: integer(1).optional().meta({
      description: "A version of the tutor's prompt that is to teach; absent, the one that does",
    }),
    most_nodes: integer(1, 1000).meta({ description: "How many answers are made at most" }),
    at_once: z
      .boolean()
      .default(false)
      .meta({
        description:
          "Whether all are made at once, four at a time, where the provider would take the ten or more of a level as a batch: at a part " +
          "of the price, and within a day for each level",
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
      description:
        "`WAITING` for a process that works on it, `RUNNING`, `DONE`, or `STOPPED` before all was done: then `stop_reason` says why",
    }),
    stop_reason: upperEnum(warmingStops).nullable().meta({
      description:
        "`BUDGET`: the university's tokens of the month are used up; `LLM`: the LLM failed or refused; `CHANGED`: what the tutor is told, or its prompt or model, is not what was asked for any more",
    }),
    prompt_name: z.string(),
    prompt_version: z.int(),
    model: z.string(),
    most_nodes: z.int().meta({ description: "How many answers it was asked for at most" }),
    by_batch: z.boolean().meta({
      description: "Whether levels of ten answers or more are sent as batches, which take a day each at most",
    }),
    estimate: z
      .object({
        calls: z.int().meta({ description: "One for each answer that is planned" }),
        input_tokens: z.int(),
        output_tokens: z.int(),
        cost_micros: micros.meta({
          description:
            "Of the levels that go as batches at a batch's prices; null where `LLM_PRICES` has no price of the model",
        }),
      })
      .meta({ description: "What making all would use at most, by the lengths of the answers of before" }),
    nodes: z
      .object({
        planned: z.int().meta({ description: "All of them" }),
        waiting: z.int().meta({ description: "Not made yet" }),
        made: z.int().meta({ description: "Are stored, by calls of this warming" }),
        found: z
          .int()
          .meta({ description: "Were stored by the time their turn came, or known all the same" }),
        left_out: z.int().meta({ description: "The new answer above does not offer what was answered" }),
        failed: z
          .int()
          .meta({ description: "Cut off, refused, empty, or with a question that cannot be read" }),
      })
      .meta({ description: "Places in the tree at which three visits or more are expected" }),
    calls: z.int().meta({ description: "Calls of the LLM so far, with those that failed" }),
    cost_micros: micros.meta({ description: "What they have cost; null while none has a price" }),
    created_at: Instant,
    started_at: Instant.nullable().meta({ description: "When a process first worked on it" }),
    ended_at: Instant.nullable().meta({ description: "When it was done, or stopped" }),
  })
  .meta({ id: "Warming" });

export type WarmingCreate = z.output<typeof WarmingCreate>;
export type Warming = z.input<typeof Warming>;
