import * as z from "zod";
import { promptTypes } from "../../enums.ts";
import {
  Id,
  Instant,
  integer,
  integerText,
  JsonObject,
  list,
  lowerEnum,
  pageNumber,
  pagination,
  storedJsonObject,
  text,
  title,
  Version as VersionOfThing,
  windowOf,
} from "../platform/fields.ts";

/** Names that paths use for other resources. */
const reservedNames = ["labels", "names", "link-options", "preview", ".", ".."];

const nameRules: [breaks: RegExp, rule: string][] = [
  [/\|/, "Prompt name should have no |"],
  [/@@@/, "Prompt name should have no @@@"],
  [/<[^<>]*>/, "Prompt name should have no tags in angle brackets"],
  [/\p{Cc}/u, "Prompt name should have no control characters"],
  [/^\/|\/\/|\/$/, "Prompt name should have / only between its folders"],
];

/** The name shared by all versions of a prompt. */
const PromptName = title(255)
  .superRefine((name, context) => {
    const broken = nameRules.find(([breaks]) => breaks.test(name));
    if (broken) context.addIssue(broken[1]);
    else if (reservedNames.includes(name)) context.addIssue(`Prompt name should not be ${name}`);
  })
  .meta({
    description: "Name of the prompt. A `/` separates folders, and must be percent-encoded in a path",
    example: "tutor/tone",
  });

const PromptLabel = z
  .string()
  .regex(/^[a-z0-9_.-]{1,36}$/, "Label should be 1 to 36 of lowercase letters, digits, _, - and .")
  .meta({ example: "production" });

const Tag = title(64).meta({ example: "tutor" });
const labels = list(PromptLabel, { max: 100 });
const tags = list(Tag, { max: 100 });
const NameVersion = VersionOfThing.meta({
  description: "Version for `If-Match`, covering the name with its versions, labels and tags",
});
const Version = integer(1).meta({ example: 1 });
const LongText = text(200_000);

const Person = z.object({ id: Id, full_name: z.string() }).meta({ id: "PromptAuthor" });

export const PromptPath = z.object({ prompt_name: PromptName });
export const PromptVersionPath = z.object({ prompt_name: PromptName, version: integerText(Version) });

export const PromptCreate = z
  .object({
    name: PromptName,
    prompt: LongText.refine((prompt) => prompt !== "", "Prompt should not be empty").meta({
      description:
        "May have placeholders `{{variable}}` and references `@@@refPrompt:name=<name>|label=<label>@@@` or " +
        "`@@@refPrompt:name=<name>|version=<number>@@@`",
      example: "Answer in {{language}}. @@@refPrompt:name=tutor|label=production@@@",
    }),
    type: lowerEnum(promptTypes).default("text").meta({ description: "The same for all versions of a name" }),
    config: storedJsonObject(256)
      .default({})
      .meta({
        description:
          "For tutor prompts, `model`, `temperature` and `max_tokens` take effect within the operator's " +
          "limits; other keys are stored unchanged",
      }),
    labels: labels
      .default([])
      .meta({ description: "Labels except `latest`, which each new version receives" }),
    tags: tags
      .optional()
      .meta({ description: "Tags of all versions of the name; default: the present tags" }),
    commit_message: text(500).nullable().optional(),
    allow_unknown_variables: z
      .boolean()
      .default(false)
      .meta({
        description:
          "Whether a prompt of the tutor may name variables that the tutor does not know. They are empty in its " +
          "requests. By default the response is a 400 that lists them",
      }),
  })
  .meta({ id: "PromptCreate" });

export const PromptLabels = z
  .object({ labels: labels.meta({ description: "All labels of the version; `latest` does not move" }) })
  .meta({ id: "PromptLabels" });

export const PromptTags = z.object({ tags }).meta({ id: "PromptTags" });

export const Success = z.object({ success: z.boolean() }).meta({ id: "Success" });

export const Prompt = z
  .object({
    id: Id,
    name: z.string(),
    version: Version,
    type: z.enum(promptTypes),
    prompt: z.string(),
    config: JsonObject,
    labels: z.array(z.string()),
    tags: z.array(z.string()),
    name_version: NameVersion,
    commit_message: z.string().nullable(),
    created_by: z.string().nullable().meta({ description: "The creator's id" }),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "Prompt" });

/** A reference to another prompt, by label or by version. */
export const PromptReference = z
  .object({ child_name: z.string(), child_version: Version.nullable(), child_label: z.string().nullable() })
  .meta({ id: "PromptReference" });

const GraphNode = z.object({ id: Id, name: z.string(), version: Version });

export const ResolutionGraph = z
  .object({
    root: GraphNode,
    dependencies: z
      .record(z.string(), z.array(GraphNode))
      .meta({ description: "For each prompt with references, by id: the prompts that it includes" }),
  })
  .meta({ id: "ResolutionGraph" });

export const ResolvedPrompt = z
  .object({
    ...Prompt.shape,
    dependencies: z.array(PromptReference),
    resolved_prompt: z.string().meta({ description: "The prompt with all references inlined" }),
    resolution_graph: ResolutionGraph,
  })
  .meta({ id: "ResolvedPrompt" });

/** Selects a version; `production` by default. */
export const PromptSelector = z.object({
  version: integerText(Version).optional().meta({ description: "Version; not together with `label`" }),
  label: PromptLabel.optional().meta({ description: "Label of the version; default: `production`" }),
});

export const PromptQuery = z.object({
  name: text(255).optional().meta({ description: "Part of the name, ignoring case" }),
  label: PromptLabel.optional().meta({ description: "Only prompts with a version that has this label" }),
  tag: Tag.optional(),
  ...pageNumber,
});

export const PromptSummary = z
  .object({
    name: z.string(),
    type: z.enum(promptTypes),
    versions: z.array(Version),
    labels: z.array(z.string()),
    tags: z.array(z.string()),
    name_version: NameVersion,
    last_updated_at: Instant,
  })
  .meta({ id: "PromptSummary" });

export const PromptPage = z
  .object({ data: z.array(PromptSummary), total: z.int(), page: z.int(), page_size: z.int() })
  .meta({ id: "PromptPage" });

const PromptVersion = z
  .object({
    ...Prompt.pick({
      id: true,
      name: true,
      version: true,
      labels: true,
      name_version: true,
      commit_message: true,
      created_by: true,
      created_at: true,
    }).shape,
    creator: Person.nullable(),
  })
  .meta({ id: "PromptVersion" });

export const PromptVersionQuery = z.object(pageNumber);

export const PromptVersionPage = z
  .object({ versions: z.array(PromptVersion), total: z.int() })
  .meta({ id: "PromptVersionPage" });

export const PromptNameId = z
  .object({ name: z.string(), id: Id.meta({ description: "The newest version's id" }) })
  .meta({ id: "PromptNameId" });

/** The versions and labels that a reference may use. */
export const PromptLinkOption = z
  .object({ name: z.string(), versions: z.array(Version), labels: z.array(z.string()) })
  .meta({ id: "PromptLinkOption" });

export const PromptPreviewRequest = z
  .object({
    prompt_text: LongText,
    variables: JsonObject.default({}).meta({
      description:
        "Values by variable; values other than text are written as JSON. Placeholders without a value, or " +
        "with null, stay unchanged",
    }),
  })
  .meta({ id: "PromptPreviewRequest" });

export const PromptPreview = z
  .object({
    rendered_prompt: z.string(),
    variables_used: z.array(z.string()),
    dependencies_found: z.array(PromptReference),
  })
  .meta({ id: "PromptPreview" });

/** A label that was set (from null), moved, or removed (to null). */
export const PromptLabelEvent = z
  .object({
    id: Id,
    label: z.string(),
    from_version: Version.nullable(),
    to_version: Version.nullable(),
    changed_by: Person.nullable(),
    changed_at: Instant,
  })
  .meta({ id: "PromptLabelEvent" });

export const PromptLabelHistoryQuery = z.object({
  label: PromptLabel.optional().meta({ description: "Only changes of this label" }),
  ...pagination,
});

export const PromptImpactQuery = z.object({
  label: PromptLabel.meta({ description: "The label to move" }),
  version: integerText(Version).meta({ description: "The version to move it to" }),
  ...windowOf({ limit: 100, max: 1000 }),
});

export const PromptImpact = z
  .object({
    prompts: z
      .array(z.object({ ...GraphNode.shape, labels: z.array(z.string()) }))
      .meta({ description: "Prompts with direct or indirect references to the label" }),
    content_types: z
      .array(z.object({ id: Id, name: z.string(), label: z.string() }))
      .meta({ description: "Content types whose tutor prompt would change" }),
    courses: z
      .array(z.object({ id: Id, title: z.string(), code: z.string(), university_id: Id }))
      .meta({ description: "Courses with such content that are visible to the caller" }),
    courses_total: z.int(),
    cold_cache_nodes: z.int().meta({ description: "Stored answers that would no longer be served" }),
  })
  .meta({ id: "PromptImpact" });

export type PromptCreate = z.output<typeof PromptCreate>;
export type Prompt = z.input<typeof Prompt>;
export type PromptReference = z.input<typeof PromptReference>;
export type ResolutionGraph = z.input<typeof ResolutionGraph>;
export type ResolvedPrompt = z.input<typeof ResolvedPrompt>;
export type PromptSelector = z.output<typeof PromptSelector>;
export type PromptQuery = z.output<typeof PromptQuery>;
export type PromptPage = z.input<typeof PromptPage>;
export type PromptVersionQuery = z.output<typeof PromptVersionQuery>;
export type PromptVersionPage = z.input<typeof PromptVersionPage>;
export type PromptNameId = z.input<typeof PromptNameId>;
export type PromptLinkOption = z.input<typeof PromptLinkOption>;
export type PromptPreviewRequest = z.output<typeof PromptPreviewRequest>;
export type PromptPreview = z.input<typeof PromptPreview>;
export type PromptLabelEvent = z.input<typeof PromptLabelEvent>;
export type PromptLabelHistoryQuery = z.output<typeof PromptLabelHistoryQuery>;
export type PromptImpactQuery = z.output<typeof PromptImpactQuery>;
export type PromptImpact = z.input<typeof PromptImpact>;
