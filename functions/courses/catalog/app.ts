import { createEndpointGroup } from "../../../lib/http/endpoint.ts";
import { createAsset, deleteAsset, getAsset, listAssets, updateAsset } from "./assets.ts";
import {
  createContentType,
  deleteContentType,
  getContentType,
  listContentTypes,
  updateContentType,
} from "./content-types.ts";
import { createCountry, deleteCountry, getCountry, listCountries, updateCountry } from "./countries.ts";
import { createDomain, deleteDomain, getDomain, listDomains, updateDomain } from "./domains.ts";
import {
  createModuleTemplate,
  deleteModuleTemplate,
  getModuleTemplate,
  listModuleTemplates,
  updateModuleTemplate,
} from "./module-templates.ts";
import { createSubject, deleteSubject, getSubject, listSubjects, updateSubject } from "./subjects.ts";

export const catalog = createEndpointGroup("Catalog", "", [
  listCountries,
  createCountry,
  getCountry,
  updateCountry,
  deleteCountry,
  listDomains,
  createDomain,
  getDomain,
  updateDomain,
  deleteDomain,
  listSubjects,
  createSubject,
  getSubject,
  updateSubject,
  deleteSubject,
  listContentTypes,
  createContentType,
  getContentType,
  updateContentType,
  deleteContentType,
  listModuleTemplates,
  createModuleTemplate,
  getModuleTemplate,
  updateModuleTemplate,
  deleteModuleTemplate,
  listAssets,
  createAsset,
  getAsset,
  updateAsset,
  deleteAsset,
]);
