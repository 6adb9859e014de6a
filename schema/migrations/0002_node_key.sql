-- The address of a stored answer: a hash of its item, the node that it follows, its message, and what it was made with.
-- Null without a message. Two generated columns are made with this function: its result must never change.
create or replace function node_key(
  content_item_id integer, parent_id bigint, message text, prompt_name text, prompt_version integer, model text,
  prompt_fingerprint text, content_fingerprint text
) returns bytea language plpgsql immutable parallel safe as $$
begin
  -- Fingerprints have no blanks, and other texts are quoted or last: two addresses are never the same text.
  return sha256(convert_to(
    content_item_id || ' ' || coalesce(parent_id, 0) || ' ' || prompt_version || ' ' || prompt_fingerprint || ' '
    || content_fingerprint || ' ' || quote_literal(prompt_name) || ' ' || quote_literal(model) || ' ' || message, 'UTF8'));
end $$;--> statement-breakpoint
ALTER TABLE "generations" DROP CONSTRAINT "generations_class_or_private";--> statement-breakpoint
DROP INDEX "cache_nodes_key";--> statement-breakpoint
DROP INDEX "generations_class_key";--> statement-breakpoint
ALTER TABLE "cache_nodes" ADD COLUMN "node_key" "bytea" GENERATED ALWAYS AS (node_key(content_item_id, parent_id, message, prompt_name, prompt_version, model, prompt_fingerprint, content_fingerprint)) STORED NOT NULL;--> statement-breakpoint
ALTER TABLE "generations" ADD COLUMN "node_key" "bytea" GENERATED ALWAYS AS (node_key(content_item_id, parent_id, message, prompt_name, prompt_version, model, prompt_fingerprint, content_fingerprint)) STORED;--> statement-breakpoint
CREATE INDEX "cache_nodes_roots" ON "cache_nodes" USING btree ("content_item_id") WHERE parent_id is null;--> statement-breakpoint
CREATE UNIQUE INDEX "cache_nodes_key" ON "cache_nodes" USING btree ("node_key");--> statement-breakpoint
CREATE UNIQUE INDEX "generations_class_key" ON "generations" USING btree ("node_key") WHERE state = 'writing';--> statement-breakpoint
ALTER TABLE "cache_nodes" DROP COLUMN "message_hash";--> statement-breakpoint
ALTER TABLE "generations" DROP COLUMN "message_hash";--> statement-breakpoint
ALTER TABLE "generations" ADD CONSTRAINT "generations_class_or_private" CHECK (case when question_id is null then session_id is null and message is not null
          else session_id is not null and parent_id is null and message is null end);
