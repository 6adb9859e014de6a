import * as z from "zod";
import { moduleTypes } from "../../enums.ts";
import {
  Description,
  Id,
  Instant,
  list,
  optionalWindow,
  Position,
  title,
  upperEnum,
  Version,
} from "../platform/fields.ts";
import { dates, dueFollowsAvailable } from "./dates.ts";

const ModuleKind = upperEnum(moduleTypes).meta({ example: "UNIT" });

const writableFields = {
  parent_module_id: Id.nullable().meta({
    description: "The parent module in the same course; null at the top",
  }),
  module_type: ModuleKind,
  module_template_id: Id.nullable().meta({
    description:
      "A template of the course's university or the platform; a new module copies its " +
      "`default_data`. Null for none",
  }),
  title: title(255).meta({ example: "Sampling and aliasing" }),
  description: Description.nullable(),
  sequence_index: Position.meta({
    description: "The position among its siblings; by default the last",
  }),
  is_published: z.boolean().meta({ description: "Whether learners see the module and everything below it" }),
  ...dates,
  requires_module_ids: list(Id, { max: 100 }).meta({
    example: [2],
    description: "Modules of the course that a learner must complete to unlock this one",
  }),
};

const { module_type, title: moduleTitle, ...rest } = writableFields;

export const ModuleCreate = z
  .object({ course_id: Id, module_type, title: moduleTitle, ...z.object(rest).partial().shape })
  .check(dueFollowsAvailable)
  .meta({ id: "ModuleCreate" });

export const ModuleUpdate = z
  .object(writableFields)
  .partial()
  .check(dueFollowsAvailable)
  .meta({ id: "ModuleUpdate" });

export const Module = z
  .object({
    id: Id,
    course_id: Id,
    parent_module_id: Id.nullable(),
    module_type: ModuleKind,
    module_template_id: Id.nullable(),
    title: z.string(),
    description: z.string().nullable(),
    sequence_index: z.int(),
    depth: z.int().meta({ description: "The parent's depth plus 1; 0 at the top" }),
    is_published: z.boolean(),
    available_from: Instant.nullable(),
    due_at: Instant.nullable(),
    requires_module_ids: z.array(Id),
    version: Version,
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "CourseModule" });

export const ModuleOrder = z
  .object({
    module_ids: list(Id, { min: 1, max: 10_000 }).meta({ description: "Siblings in their new order" }),
  })
  .meta({ id: "ModuleOrder" });

export const ModuleListQuery = z.object(optionalWindow);

export type ModuleCreate = z.output<typeof ModuleCreate>;
export type ModuleUpdate = z.output<typeof ModuleUpdate>;
export type Module = z.input<typeof Module>;
