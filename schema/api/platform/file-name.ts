import * as z from "zod";
import { title } from "./fields.ts";

/** Control characters, and those that disguise a name: `gpj.exe` for one that ends in `exe.jpg`. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** Drops folders and drives that some browsers send. */
const lastSegment = (name: string): string =>
  name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1);

const cleaned = (given: unknown): unknown =>
  typeof given === "string" ? lastSegment(given.normalize("NFC").replaceAll(unprintable, "")) : given;

/** A file's name in any script, without path, control characters, and marks that change the reading order. */
export const fileName = z
  .preprocess(
    cleaned,
    title(255).refine((name) => !/^\.+$/.test(name), "Input should be the name of a file"),
  )
  .meta({
    example: "circuit.png",
    description: "Name without a path. Control and direction characters are removed",
  });
