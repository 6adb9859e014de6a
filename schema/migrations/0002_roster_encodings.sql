ALTER TABLE "imports" ADD COLUMN "read_as" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "ignored" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "sourced_offerings" ADD COLUMN "course_sourced_id" varchar(255);--> statement-breakpoint
CREATE INDEX "sourced_offerings_university_id_course_sourced_id_index" ON "sourced_offerings" USING btree ("university_id","course_sourced_id");
