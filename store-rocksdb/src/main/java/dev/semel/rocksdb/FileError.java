package dev.semel.rocksdb;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** Describes errors of files in words. The message of some exceptions is only a path. */
final class FileError {

    private FileError() {}

    /** Returns what is wrong, and with which file if the exception names it. */
    static String words(IOException e) {
        if (!(e instanceof FileSystemException error)) {
            return e.getMessage() == null ? "it cannot be read or written" : e.getMessage();
        }
        String reason = reason(error);
        return error.getFile() == null ? reason : reason + ": " + error.getFile();
    }

    private static String reason(FileSystemException e) {
        if (e instanceof NoSuchFileException) {
            return "there is no such file or folder";
        }
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof FileAlreadyExistsException) {
            return "this exists and is not a folder";
        }
        if (e instanceof NotDirectoryException) {
            return "this is not a folder";
        }
        return e.getReason() == null ? "it cannot be read or written" : e.getReason();
    }
}
