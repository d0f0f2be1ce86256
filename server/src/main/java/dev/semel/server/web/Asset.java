package dev.semel.server.web;

import dev.semel.json.Fingerprint;
import java.util.Map;

/** A file that does not change while the server runs. It has an ETag, and a request with the same tag gets 304. */
@SuppressWarnings("ArrayRecordComponent") // never compared or modified
public record Asset(String contentType, byte[] bytes, String tag) {

    /** The media type of scripts and modules. */
    public static final String JAVASCRIPT = "text/javascript;charset=utf-8";

    /** Creates a file with the tag of its bytes. */
    public static Asset of(String contentType, byte[] bytes) {
        return new Asset(contentType, bytes, "\"" + Fingerprint.ofBytes(bytes).hex() + "\"");
    }

    /** Responds so that clients ask each time whether the file has changed. */
    public ApiResponse respond(Request request) {
        return respond(request, "no-cache");
    }

    /** Responds so that clients never ask again. For paths that contain the version of the file. */
    public ApiResponse respondForGood(Request request) {
        return respond(request, "public, max-age=31536000, immutable");
    }

    private ApiResponse respond(Request request, String caching) {
        boolean known = request.header("If-None-Match").map(this::isIn).orElse(false);
        ApiResponse response = known
                ? new ApiResponse(304, Map.of(), new byte[0])
                : new ApiResponse(200, Map.of("Content-Type", contentType), bytes);
        return response.with("ETag", tag).with("Cache-Control", caching);
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
