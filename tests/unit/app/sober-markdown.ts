import { Marked } from "marked";
import { limitedEmphasisTokenizer } from "../../../app/src/markup/emphasis.ts";

export const soberMarkdown = new Marked({ tokenizer: limitedEmphasisTokenizer });
