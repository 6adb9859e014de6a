import { createEndpointGroup } from "../../../lib/http/endpoint.ts";
import { readCaptions } from "./captions.ts";
import { copyContent } from "./copies.ts";
import {
  createContent,
  deleteContent,
  getContent,
  listModuleContent,
  reorderContent,
  updateContent,
} from "./items.ts";
import { getContentTutorNotes, setContentTutorNotes } from "./tutor-notes.ts";
import { getTutorProgress } from "./tutor-progress.ts";
import { getContentWarming, warmContent } from "./warming.ts";

export const content = createEndpointGroup("Content", "/content", [
  listModuleContent,
  createContent,
  reorderContent,
  readCaptions,
  getContent,
  updateContent,
  deleteContent,
  copyContent,
  getContentTutorNotes,
  setContentTutorNotes,
  getContentWarming,
  warmContent,
  getTutorProgress,
]);
