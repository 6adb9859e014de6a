CREATE TABLE "failed_answers" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "failed_answers_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"content_item_id" integer NOT NULL,
	"parent_id" bigint,
	"message" text NOT NULL,
	"prompt_name" varchar(255) NOT NULL,
	"prompt_version" integer NOT NULL,
	"model" varchar(255) NOT NULL,
	"node_id" bigint,
	"answer" text NOT NULL,
	"failed" jsonb NOT NULL,
	"second_answer" text,
	"second_failed" jsonb,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL
);--> statement-breakpoint
ALTER TABLE "generations" ADD COLUMN "checks" jsonb;--> statement-breakpoint
ALTER TABLE "failed_answers" ADD CONSTRAINT "failed_answers_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "failed_answers" ADD CONSTRAINT "failed_answers_parent_id_cache_nodes_id_fk" FOREIGN KEY ("parent_id") REFERENCES "public"."cache_nodes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "failed_answers" ADD CONSTRAINT "failed_answers_node_id_cache_nodes_id_fk" FOREIGN KEY ("node_id") REFERENCES "public"."cache_nodes"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "failed_answers_content_item_id_created_at_index" ON "failed_answers" USING btree ("content_item_id","created_at");--> statement-breakpoint
CREATE INDEX "failed_answers_parent_id_index" ON "failed_answers" USING btree ("parent_id");--> statement-breakpoint
CREATE INDEX "failed_answers_node_id_index" ON "failed_answers" USING btree ("node_id");
