import * as z from "zod";
import { cartridgeOutcomes, cartridgePartKinds } from "../../enums.ts";
import { Id, Instant, paginationOf, RefusalCode, upperEnum, WideId } from "../platform/fields.ts";
import { listQuery } from "../platform/search-and-sort.ts";

export const CartridgeImportCreate = z
  .object({
    course_id: Id.meta({ description: "The course that it goes into" }),
    file_id: WideId.meta({
      description:
        "The cartridge: a file of one's own of purpose IMPORT for the course or its university, READY",
    }),
    dry_run: z
      .boolean()
      .default(false)
      .meta({ description: "Whether to say what would become of each part, and write nothing" }),
  })
  .meta({ id: "CartridgeImportCreate", example: { course_id: 1, file_id: 1, dry_run: true } });

const count = (description: string) => z.int().min(0).meta({ description, example: 0 });

export const CartridgeImport = z
  .object({
    id: Id,
    course_id: Id,
    dry_run: z.boolean().meta({ description: "Whether it only says what would become of each part" }),
    cartridge_version: z
      .string()
      .nullable()
      .meta({ description: "Of Common Cartridge; null until its manifest was read", example: "1.3.0" }),
    title: z
      .string()
      .nullable()
      .meta({ description: "What the cartridge is called", example: "Waves and optics" }),
    total: count("The parts of the cartridge; 0 until its manifest was read"),
    done: count("The parts that have an outcome"),
    created: count("Parts that made something"),
    partly: count("Parts that made something, and of which something is left out"),
    refused: count("Parts that made nothing; each says why"),
    ignored: count("Parts that are nothing to be taken by themselves, such as settings of another program"),
    failure: z.string().nullable().meta({ description: "Why nothing can be made of the whole, or no more" }),
    code: RefusalCode,
    created_by_user_id: Id.nullable().meta({ description: "In whose name it is done" }),
    created_at: Instant,
    ended_at: Instant.nullable().meta({ description: "When the last part had its outcome; null until then" }),
  })
  .meta({ id: "CartridgeImport" });

export const CartridgePart = z
  .object({
    number: z.int().meta({ description: "From 0, in the order of the outline; then what no outline names" }),
    parent_number: z
      .int()
      .nullable()
      .meta({ description: "The part that is the module which it goes into; null at the top of the course" }),
    kind: upperEnum(cartridgePartKinds).meta({ example: "PAGE" }),
    identifier: z.string().meta({ description: "As the manifest has it" }),
    title: z.string(),
    path: z.string().nullable().meta({ description: "Where its content is in the archive" }),
    outcome: upperEnum(cartridgeOutcomes)
      .nullable()
      .meta({ description: "What became of it; null until it is worked" }),
    became: z.array(z.string()).meta({
      description: "What it is here: names of content types, `module` or `question_pool`",
      example: ["text"],
    }),
    left_out: z.array(z.string()).meta({
      description: "What of it nothing here has: names of elements, links, questions by their numbers",
      example: ["script"],
    }),
    left_out_codes: z.array(RefusalCode).meta({
      description: "The code of each line of `left_out`, in their order; null for one of none",
      example: ["left_out_element"],
    }),
    reason: z.string().nullable().meta({ description: "Why nothing was made of it" }),
    code: RefusalCode,
    module_id: Id.nullable(),
    content_item_ids: z.array(Id),
  })
  .meta({ id: "CartridgePart" });

export const CartridgeImportQuery = listQuery({});

export const CartridgePartQuery = z.strictObject({
  outcome: upperEnum(cartridgeOutcomes).optional(),
  ...paginationOf({ limit: 100, max: 500 }),
});

export type CartridgeImportCreate = z.output<typeof CartridgeImportCreate>;
export type CartridgeImport = z.input<typeof CartridgeImport>;
export type CartridgeImportQuery = z.output<typeof CartridgeImportQuery>;
export type CartridgePart = z.input<typeof CartridgePart>;
export type CartridgePartQuery = z.output<typeof CartridgePartQuery>;
