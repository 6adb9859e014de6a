import type { ContentTypeName } from "../../../schema/enums.ts";

/** A content item as `create_content_from_cartridge_part` takes it. */
export type ConvertedItem = {
  type: ContentTypeName;
  title: string;
  description?: string | null;
  estimated_duration_seconds?: number | null;
  available_from?: string | null;
  due_at?: string | null;
  data_json: Record<string, unknown>;
  files: { file_id: number; is_for_staff: boolean }[];
  is_active?: boolean;
  /** From the pool that is created with it. */
  draws?: boolean;
};
