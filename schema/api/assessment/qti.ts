import * as z from "zod";
import { Id, list, oneOf, RefusalCode, title, WideId, windowOf } from "../platform/fields.ts";
import { base64Answer, base64Text, fileText, maxSentFileBytes, ReadAs } from "../platform/file-text.ts";

const exampleItem =
  '<assessmentItem xmlns="http://www.imsglobal.org/xsd/imsqti_v2p1" identifier="q1" title="Inertia" adaptive="false" ' +
  'timeDependent="false"><responseDeclaration identifier="RESPONSE" cardinality="single" baseType="identifier">' +
  "<correctResponse><value>A</value></correctResponse></responseDeclaration><itemBody><p>What keeps its velocity?</p>" +
  '<choiceInteraction responseIdentifier="RESPONSE" maxChoices="1"><simpleChoice identifier="A">A body without forces' +
  '</simpleChoice><simpleChoice identifier="B">A falling body</simpleChoice></choiceInteraction></itemBody></assessmentItem>';

const QtiVersion = z.enum(["2.1", "3.0"]).meta({ description: "QTI version" });

export const QtiQuery = z.object({
  version: QtiVersion.default("2.1"),
  ...windowOf({ limit: 50, max: 100 }),
});

const examplePackage = "UEsFBgAAAAAAAAAAAAAAAAAAAAAAAA==";

/** A page of a pool's questions as a package. */
export const QtiExport = z
  .object({
    version: QtiVersion,
    package: base64Answer("A content package (ZIP) in base64").meta({ example: examplePackage }),
    total: z.int().meta({ description: "Number of questions in the pool; page with `skip` and `limit`" }),
  })
  .meta({ id: "QtiExport" });

export const QtiImport = z
  .object({
    files: list(
      z.object({
        name: title(255).meta({ description: "Path in the package", example: "question-1.xml" }),
        xml: fileText(262_144).meta({ description: "The content of the file", example: exampleItem }),
      }),
      { min: 1, max: 200 },
    )
      .optional()
      .meta({ description: "The files of a package; alternatively send the whole package" }),
    package: base64Text(maxSentFileBytes, "A content package (ZIP) or a single file,")
      .optional()
      .meta({ example: examplePackage }),
    file_id: WideId.optional().meta({
      description:
        "Alternatively, the caller's READY file of purpose IMPORT for the pool's university or course: a " +
        "package or a single file, which may be larger",
    }),
    dry_run: z
      .boolean()
      .default(false)
      .meta({ description: "Whether to return the outcome without writing" }),
  })
  .check(oneOf("files", "package", "file_id"))
  .meta({ id: "QtiImport" });

export const QtiImportResult = z
  .object({
    dry_run: z.boolean(),
    created: z.int(),
    skipped: z.int().meta({ description: "Number of questions that the pool already has" }),
    failed: z.int().meta({ description: "Number of questions and files that could not be imported" }),
    results: z.array(
      z.object({
        name: z.string().meta({ description: "Name of the file", example: "question-1.xml" }),
        line: z.int().nullable().meta({
          description: "Line of the question; null if the whole file is meant, or if it has one question",
          example: null,
        }),
        read_as: ReadAs.nullable(),
        outcome: z
          .enum(["created", "skipped", "failed", "ignored"])
          .meta({ description: "`ignored`: the file has no questions, such as the manifest of a package" }),
        question_id: Id.nullable().meta({ description: "Null in a dry run for questions to be created" }),
        fault: z.string().nullable().meta({ description: "Why it could not be imported", example: null }),
        code: RefusalCode,
        left_out: z.array(z.string()).meta({
          description: "Contents of the question that were not imported, such as names of elements",
          example: ["img"],
        }),
        left_out_codes: z.array(RefusalCode).meta({
          description: "Code for each line of `left_out`, in order",
          example: ["left_out_element"],
        }),
      }),
    ),
  })
  .meta({ id: "QtiImportResult" });

export type QtiQuery = z.output<typeof QtiQuery>;
export type QtiExport = z.input<typeof QtiExport>;
export type QtiImport = z.output<typeof QtiImport>;
export type QtiImportResult = z.input<typeof QtiImportResult>;
