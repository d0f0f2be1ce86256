package dev.semel.once;

/**
 * Thrown by an operation that holds nothing against its key: it could not be understood, or things stand against it at the moment.
 * Nothing that it wrote stays. Of an atomic operation nothing is recorded, so the key is as it was before; a leased one, which was
 * claimed, counts as failed.
 */
public class UnrecordedException extends Exception {

    private static final long serialVersionUID = 1L;

    public UnrecordedException(String message) {
        super(message, null, false, false);
    }
}
