import { Marked } from "marked";
import { soberEmphasis } from "../../../app/src/markup/emphasis.ts";

export const soberMarkdown = new Marked({ tokenizer: soberEmphasis });
