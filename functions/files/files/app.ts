import { createEndpointGroup } from "../../../lib/http/endpoint.ts";
import { getAvatar, getFileAddresses, getFileContent, getLogo } from "./content.ts";
import { completeFile, createFile, deleteFile, getFile } from "./uploads.ts";

export const files = createEndpointGroup("Files", "", [
  createFile,
  getFileAddresses,
  getAvatar,
  getLogo,
  getFile,
  deleteFile,
  completeFile,
  getFileContent,
]);
