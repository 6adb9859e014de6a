import * as z from "zod";
import { Id, oneOf, RefusalCode, title, WideId } from "../platform/fields.ts";
import { base64Text, maxSentFileBytes, ReadAs } from "../platform/file-text.ts";

export const CaptionsCreate = z
  .object({
    course_id: Id.meta({ description: "The course of the video" }),
    name: title(255)
      .default("captions")
      .meta({ description: "Name of the file for error messages", example: "film.vtt" }),
    captions: base64Text(maxSentFileBytes, "The file")
      .optional()
      .meta({ example: "V0VCVlRUCgowMDowMS4wMDAgLS0+IDAwOjAyLjAwMApIZWxsbwo=" }),
    file_id: WideId.optional().meta({
      description:
        "Alternatively, the caller's READY file of purpose IMPORT for the course or its university. May be larger",
    }),
  })
  .check(oneOf("captions", "file_id"))
  .meta({ id: "CaptionsCreate" });

export const Captions = z
  .object({
    format: z.enum(["webvtt", "srt"]),
    language: z.string().nullable().meta({ description: "As stated in the file", example: "en" }),
    segments: z
      .array(
        z.object({
          start: z.number().meta({ description: "Seconds from the start of the video", example: 1 }),
          end: z.number().meta({ description: "Seconds from the start of the video", example: 2 }),
          text: z.string().meta({ example: "Hello" }),
        }),
      )
      .meta({ description: "The captions in order" }),
    read_as: ReadAs,
    left_out: z.array(z.string()).meta({
      description: "Omitted contents: names of elements, and settings with their values",
      example: ["setting align: start"],
    }),
    left_out_codes: z.array(RefusalCode).meta({
      description: "Code for each line of `left_out`, in order",
      example: ["left_out_setting"],
    }),
  })
  .meta({
    id: "Captions",
    description: "`language` and `segments` are the `transcript` of a video's `data_json`",
  });

export type CaptionsCreate = z.output<typeof CaptionsCreate>;
export type Captions = z.input<typeof Captions>;
