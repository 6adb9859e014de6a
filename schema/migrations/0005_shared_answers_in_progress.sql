CREATE TABLE "cache_fill_chunks" (
	"node_id" integer NOT NULL,
	"filling_token" uuid NOT NULL,
	"first_chunk" integer NOT NULL,
	"chunks" jsonb NOT NULL,
	CONSTRAINT "cache_fill_chunks_node_id_filling_token_first_chunk_pk" PRIMARY KEY("node_id","filling_token","first_chunk")
);
--> statement-breakpoint
ALTER TABLE "cache_nodes" ALTER COLUMN "chunks" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "cache_nodes" ADD COLUMN "filling_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "cache_nodes" ADD COLUMN "filling_token" uuid;--> statement-breakpoint
ALTER TABLE "cache_nodes" ADD COLUMN "edited_by" integer;--> statement-breakpoint
ALTER TABLE "cache_nodes" ADD COLUMN "edited_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "cache_fill_chunks" ADD CONSTRAINT "cache_fill_chunks_node_id_cache_nodes_id_fk" FOREIGN KEY ("node_id") REFERENCES "public"."cache_nodes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cache_nodes" ADD CONSTRAINT "cache_nodes_edited_by_users_id_fk" FOREIGN KEY ("edited_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "cache_nodes_edited_by_index" ON "cache_nodes" USING btree ("edited_by");--> statement-breakpoint
ALTER TABLE "cache_nodes" ADD CONSTRAINT "cache_nodes_filling_check" CHECK ("cache_nodes"."chunks" is null or "cache_nodes"."filling_token" is null);