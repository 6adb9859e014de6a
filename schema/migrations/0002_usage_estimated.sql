ALTER TABLE "llm_calls" ADD COLUMN "usage_estimated" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "llm_calls_estimated_index" ON "llm_calls" USING btree ("started_at") WHERE "llm_calls"."usage_estimated";
