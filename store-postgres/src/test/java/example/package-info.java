/** What a team writes that uses own transactions. */
package example;
