CREATE TABLE "scorm_attempts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "scorm_attempts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"course_offering_id" integer NOT NULL,
	"content_item_id" integer NOT NULL,
	"attempt_number" integer DEFAULT 1 NOT NULL,
	"started_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"committed_at" timestamp (3) with time zone,
	"session_id" text NOT NULL,
	"sequence" integer DEFAULT 0 NOT NULL,
	"scos" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"completed_at" timestamp (3) with time zone,
	"passed" boolean,
	"score_scaled" numeric(7, 6),
	"total_seconds" integer DEFAULT 0 NOT NULL,
	"grade_version" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "scorm_attempts_attempt_number_unique" UNIQUE("user_id","course_offering_id","content_item_id","attempt_number"),
	CONSTRAINT "scorm_attempts_score_check" CHECK ("scorm_attempts"."score_scaled" between 0 and 1)
);--> statement-breakpoint
CREATE TABLE "scorm_packages" (
	"file_id" bigint PRIMARY KEY NOT NULL,
	"version" text NOT NULL,
	"title" varchar(255) NOT NULL,
	"scos" jsonb NOT NULL,
	"entries" jsonb NOT NULL,
	"checked_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "scorm_packages_version_check" CHECK ("scorm_packages"."version" in ('1.2', '2004'))
);--> statement-breakpoint
ALTER TABLE "scorm_attempts" ADD CONSTRAINT "scorm_attempts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "scorm_attempts" ADD CONSTRAINT "scorm_attempts_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "scorm_attempts" ADD CONSTRAINT "scorm_attempts_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "scorm_packages" ADD CONSTRAINT "scorm_packages_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."files"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "scorm_attempts_course_offering_id_content_item_id_id_index" ON "scorm_attempts" USING btree ("course_offering_id","content_item_id","id");--> statement-breakpoint
CREATE INDEX "scorm_attempts_content_item_id_index" ON "scorm_attempts" USING btree ("content_item_id");
--> statement-breakpoint
INSERT INTO "content_types" ("name", "label", "description", "takes_result") VALUES
  ('scorm', 'SCORM package', 'A package of another authoring tool, which reports completion and a score', true);
