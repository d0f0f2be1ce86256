/** What a team writes that uses caller-managed transactions. */
package example;
