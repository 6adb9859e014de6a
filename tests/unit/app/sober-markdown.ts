import { Marked } from "marked";
import { boundedEmphasis } from "../../../app/src/markup/emphasis.ts";

export const soberMarkdown = new Marked({ tokenizer: boundedEmphasis });
