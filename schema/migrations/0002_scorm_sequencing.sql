ALTER TABLE "scorm_attempts" ADD COLUMN "sequencing" jsonb;--> statement-breakpoint
ALTER TABLE "scorm_packages" ADD COLUMN "activity_tree" jsonb;
