import * as z from "zod";
import { Id, oneOf, title, WideId } from "../platform/fields.ts";
import { base64Text, maxSentFileBytes } from "../platform/file-text.ts";

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
  })
  .meta({ id: "Captions", description: "The `transcript` of a video's `data_json`" });

export type CaptionsCreate = z.output<typeof CaptionsCreate>;
export type Captions = z.input<typeof Captions>;
