import * as z from "zod";
import { title } from "./fields.ts";

/** Controls, and what makes a name read otherwise than it is written: `gpj.exe` for what ends in `exe.jpg`. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** What some browsers send before a name, a folder or a drive, is no part of it. */
const lastSegment = (name: string): string =>
  name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1);

const cleaned = (given: unknown): unknown =>
  typeof given === "string" ? lastSegment(given.normalize("NFC").replaceAll(unprintable, "")) : given;

/** The name of a file, in any script: without a path, controls, and marks that turn the order in which it is read. */
export const fileName = z
  .preprocess(
    cleaned,
    title(255).refine((name) => !/^\.+$/.test(name), "Input should be the name of a file"),
  )
  .meta({
    example: "circuit.png",
    description: "Without a path; controls and marks of direction are taken out",
  });
