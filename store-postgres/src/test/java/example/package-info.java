/** An application that uses caller-managed transactions. */
package example;
