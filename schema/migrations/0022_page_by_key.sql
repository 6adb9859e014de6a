CREATE INDEX "cache_nodes_content_item_id_id_index" ON "cache_nodes" USING btree ("content_item_id","id");
