// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Specimen} from "./Specimen.sol";

/// @title Its owner can bar a wallet from moving it.
contract Blacklist is Specimen {
    event Blacklisted(address indexed account, bool barred);

    error Barred(address account);

    mapping(address account => bool) public isBlacklisted;

    constructor(string memory n, string memory s, uint256 supply) Specimen(n, s, supply) {}

    function blacklist(address account) external onlyOwner {
        isBlacklisted[account] = true;
        emit Blacklisted(account, true);
    }

    function unBlacklist(address account) external onlyOwner {
        isBlacklisted[account] = false;
        emit Blacklisted(account, false);
    }

    function _move(address from, address to, uint256 value) internal override {
        if (isBlacklisted[from]) revert Barred(from);
        if (isBlacklisted[to]) revert Barred(to);
        super._move(from, to, value);
    }
}
