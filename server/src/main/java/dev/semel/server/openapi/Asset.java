package dev.semel.server.openapi;

import dev.semel.json.Fingerprint;
import dev.semel.server.web.ApiResponse;
import dev.semel.server.web.Request;
import java.util.Map;

/** A file that does not change while the server runs. It has an ETag, and a request with the same tag gets 304. */
@SuppressWarnings("ArrayRecordComponent") // never compared or modified
record Asset(String contentType, byte[] bytes, String tag) {

    static Asset of(String contentType, byte[] bytes) {
        return new Asset(contentType, bytes, "\"" + Fingerprint.ofBytes(bytes).hex() + "\"");
    }

    ApiResponse respond(Request request) {
        boolean known = request.header("If-None-Match").map(this::isIn).orElse(false);
        ApiResponse response = known
                ? new ApiResponse(304, Map.of(), new byte[0])
                : new ApiResponse(200, Map.of("Content-Type", contentType), bytes);
        return response.with("ETag", tag).with("Cache-Control", "no-cache");
    }

    private boolean isIn(String tags) {
        for (String each : tags.split(",", -1)) {
            String other = each.strip();
            if (other.equals("*") || (other.startsWith("W/") ? other.substring(2) : other).equals(tag)) {
                return true;
            }
        }
        return false;
    }
}
