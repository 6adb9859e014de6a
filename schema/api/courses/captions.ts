import * as z from "zod";
import { Id, oneOf, title, WideId } from "../platform/fields.ts";

export const CaptionsCreate = z
  .object({
    course_id: Id.meta({ description: "The course of the video" }),
    name: title(255)
      .default("captions")
      .meta({ description: "Name of the file for error messages", example: "film.vtt" }),
    captions: z
      .string()
      .regex(/^[A-Za-z0-9+/]*={0,2}$/, "Input should be base64")
      .optional()
      .meta({
        format: "byte",
        description: "The file in base64",
        example: "V0VCVlRUCgowMDowMS4wMDAgLS0+IDAwOjAyLjAwMApIZWxsbwo=",
      }),
    file_id: WideId.optional().meta({
      description:
        "Alternatively, the caller's READY file of purpose IMPORT for the course or its university",
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
